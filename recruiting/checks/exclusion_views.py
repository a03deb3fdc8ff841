"""Decisions about raters, and the page on which a rater reads and answers one."""

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from annotation.access import NOTHING
from annotation.models import Study
from annotation.studies.corrections import StudyRefusedError
from recruiting.checks import excluding
from recruiting.checks.awaited_decisions import is_awaited
from recruiting.checks.exclusion_forms import ExclusionForm, ExclusionReplyForm, NoticeForm
from recruiting.checks.rater_access import notice_in, own_place, rater_in
from recruiting.crowds.ending import stay_of
from recruiting.rater_messages.pausing import pause_of

REFUSED = (excluding.DecidedMeanwhileError, StudyRefusedError)


@require_POST
@signed_in
def exclude(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Exclude a rater, with a reason."""
    person = person_of(request)
    rater, form = rater_in(person, slug, pk), ExclusionForm(request.POST)
    if form.is_valid():
        try:
            excluding.exclude(rater, form.cleaned_data["reason"], person)
            messages.success(request, f"{rater.name} is excluded. Their answers are kept; they can read your reason.")
        except REFUSED as problem:
            messages.error(request, str(problem))
    return _back(request, rater.study, form)


@require_POST
@signed_in
def include(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Take the exclusion of a rater back, with a reason."""
    person = person_of(request)
    rater, form = rater_in(person, slug, pk), ExclusionForm(request.POST)
    exclusion = rater.exclusions.filter(ended_at=None).first()
    if exclusion is None:
        raise Http404(NOTHING)
    exclusion.rater = rater
    if form.is_valid():
        try:
            excluding.end_exclusion(exclusion, form.cleaned_data["reason"], person)
            messages.success(request, f"{rater.name} is not excluded any more, and gets tasks again.")
        except REFUSED as problem:
            messages.error(request, str(problem))
    return _back(request, rater.study, form)


@require_POST
@signed_in
def answer_notice(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Say what was done about a notice."""
    person = person_of(request)
    notice, form = notice_in(person, slug, pk), NoticeForm(request.POST)
    if form.is_valid():
        try:
            given = form.cleaned_data
            excluding.answer_notice(notice, given["outcome"], person, resume=given["resume"])
            messages.success(request, "Saved.")
        except REFUSED as problem:
            messages.error(request, str(problem))
    return _back(request, notice.rater.study, form)


def _back(request: HttpRequest, study: Study, form: Form) -> HttpResponse:
    for errors in form.errors.values():
        messages.error(request, f"Nothing was changed: {' '.join(str(error) for error in errors)}")
    return redirect("reports:rater_checks", slug=study.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def my_standing(request: HttpRequest, slug: str) -> HttpResponse:
    """Show an annotator whether and why they get no work; POST answers an exclusion."""
    person = person_of(request)
    study, exclusion = own_place(person, slug)
    form = ExclusionReplyForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and exclusion is None:
        raise Http404(NOTHING)
    if exclusion is not None and form.is_valid():
        try:
            excluding.reply(exclusion, form.cleaned_data["text"], person)
            messages.success(request, gettext("Saved. The researchers see your answer beside the exclusion."))
        except REFUSED as problem:
            messages.error(request, str(problem))
        return redirect("recruiting:my_standing", slug=slug)
    replies = exclusion.replies.order_by("pk") if exclusion is not None else ()
    paused = study.raters.filter(person=person, paused_at__isnull=False).first()
    context = {"study": study, "exclusion": exclusion, "replies": replies, "paused": paused, "form": form,
               "pause": pause_of(paused) if paused else None, "is_awaited": paused is not None and is_awaited(paused),
               "stay": stay_of(study, person) if study.has_crowd else None}  # fmt: skip
    return render(request, "recruiting/my_standing.html", context, status=422 if form.is_bound else 200)
