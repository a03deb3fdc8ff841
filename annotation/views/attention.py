"""What annotators say beside their answers: flags to resolve, skipped tasks and comments; and answers to flags."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import ANNOTATORS, NUMBER, RESEARCHERS, flag_for, membership_for, study_for
from annotation.forms import FlagAnswerForm
from annotation.models import Study
from annotation.review import comments, flags
from annotation.review.verdicts import ReviewedMeanwhileError
from annotation.studies.newest_first import newest_first
from annotation.studies.queries import skipped_in

KINDS = {"flagged": "Flags to resolve", "answered": "Answered flags", "skipped": "Skipped", "comments": "Comments"}
COMMENTS_PAGE = 25
ANSWERED_MEANWHILE = "This flag has been answered or changed since you opened the page. Look at it again."


@require_safe
@signed_in
def attention(request: HttpRequest, slug: str) -> HttpResponse:
    """Flags without an answer; `?kind=` shows answered flags, skipped tasks or comments."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    kind = request.GET.get("kind", "")
    return _page(request, study, kind if kind in KINDS else "flagged")


def _page(
    request: HttpRequest, study: Study, kind: str, form: FlagAnswerForm | None = None, status: int = 200
) -> HttpResponse:
    """The page; `form` is an answer that cannot be saved, which names its flag."""
    context = {"study": study, "kind": kind, "kinds": KINDS.items(), "form": form}
    if kind == "comments":
        after = request.GET.get("after", "")
        rows = comments.comments_of(study).filter(pk__gt=int(after)) if NUMBER.fullmatch(after) else (
            comments.unread_comments(study))  # fmt: skip
        found = list(rows[: COMMENTS_PAGE + 1])
        context |= {"comments": found[:COMMENTS_PAGE], "more": len(found) > COMMENTS_PAGE, "after": after,
                    "has_read": comments.read_through(study) > 0}  # fmt: skip
    else:
        newest = {"flagged": flags.open_flags, "answered": flags.answered_flags, "skipped": skipped_in}[kind]
        context["page"] = newest_first(newest(study), request.GET.get("before", ""))
    return render(request, "annotation/attention.html", context, status=status)


@require_POST
@signed_in
def answer_flag(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Resolve or dismiss a flag, with a note to the annotator."""
    person = person_of(request)
    flagged = flag_for(person, slug, pk)
    form = FlagAnswerForm(request.POST, prefix=str(flagged.pk))
    if not form.is_valid():
        return _page(request, flagged.rater.study, "flagged", form, 422)
    try:
        flags.answer_flag(flagged, **form.cleaned_data, person=person)
        messages.success(request, "Saved. The annotator sees your note.")
    except ReviewedMeanwhileError:
        messages.error(request, ANSWERED_MEANWHILE)
    return redirect("annotation:attention", slug=slug)


@require_POST
@signed_in
def read_comments(request: HttpRequest, slug: str) -> HttpResponse:
    """Mark the comments up to the one that the page names as read."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    through = request.POST.get("through", "")
    if NUMBER.fullmatch(through) and comments.mark_read(study, person, int(through)):
        messages.success(request, gettext("Marked as read."))
    return redirect(f"{reverse('annotation:attention', args=[slug])}?kind=comments")


@require_POST
@signed_in
def read_flag_answers(request: HttpRequest, slug: str) -> HttpResponse:
    """Mark answers to the person's own flags as read."""
    person = person_of(request)
    study = membership_for(person, slug, roles=ANNOTATORS).study
    named = [text for text in request.POST.getlist("answer") if NUMBER.fullmatch(text)]
    if flags.acknowledge_answers(person, study, [int(text) for text in named]):
        messages.success(request, gettext("Marked as read."))
    return redirect("annotation:my_answers", slug=slug)
