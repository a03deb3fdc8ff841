"""Spot checks: sampled answers as their annotators saw the tasks, and the notes to annotators."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, signed_in
from annotation.access import ANNOTATORS, NUMBER, RESEARCHERS, annotation_for, study_for
from annotation.desk.submitting import sheet_in
from annotation.desk.task_page import text_direction
from annotation.forms import SpotCheckForm
from annotation.models import Annotation, SpotCheck, Study
from annotation.protocols import protocols
from annotation.review import spot_checks as checking
from annotation.review.batch_samples import BatchReview, batch_review
from annotation.review.marked_spans import pieces, span_ratings
from annotation.review.review_requests import batch_of, seen_number
from annotation.review.verdicts import ReviewedMeanwhileError

NEWER_CHECK = "Somebody else has checked this answer. Your verdict is not saved: read theirs, then save yours again."


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def spot_checks(request: HttpRequest, slug: str) -> HttpResponse:
    """The sampled answers of a batch, one at a time; POST saves a verdict on one."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    if request.method != "POST":
        return _page(request, study, SpotCheckForm())
    answer = annotation_for(person, slug, request.POST.get("answer", ""))
    form = SpotCheckForm(request.POST)
    if not form.is_valid():
        return _page(request, study, form, str(answer.pk), 422)
    try:
        checking.check(answer, **form.cleaned_data, person=person, number=seen_number(request))
    except ReviewedMeanwhileError:
        messages.error(request, NEWER_CHECK)
        return _page(request, study, form, str(answer.pk), 409)
    messages.success(request, "Saved.")
    return redirect(f"{reverse('annotation:spot_checks', args=[slug])}?batch={batch_of(request, study) + 1}")


def _page(request: HttpRequest, study: Study, form: SpotCheckForm, key: str = "", status: int = 200) -> HttpResponse:
    batch = batch_of(request, study)
    review = batch_review(study, batch)
    sampled = review.sampled
    key = key or request.GET.get("at", "")
    answer = annotation_for(person_of(request), study.slug, key) if key else _first_open(review)
    place = sampled.place_of(answer) if answer else None
    context = {
        "study": study,
        "batch": batch + 1,
        "review": review,
        "kept": review.kept,
        "sampled": len(sampled),
        "place": None if place is None else place + 1,
        "before": next(iter(sampled[place - 1 : place]), None) if place else None,
        "after": None if place is None else next(iter(sampled[place + 1 : place + 2]), None),
        "answer": answer,
        "checks": SpotCheck.objects.filter(annotation=answer).select_related("by").order_by("-number"),
        "form": form,
        **(shown_to(answer) if answer else {}),
    }
    return render(request, "annotation/review_check.html", context, status=status)


def _first_open(review: BatchReview) -> Annotation | None:
    first = review.sampled.first_open()
    if first is None:
        return None
    return Annotation.objects.select_related("rater__study", "task__item").get(pk=first.annotation)


def shown_to(answer: Annotation) -> dict[str, object]:
    """The task as its annotator saw it: the texts, the outputs by letter in order, and the answer in words."""
    study = answer.rater.study
    protocol, questions = protocols()[study.protocol], list(study.questions.order_by("position"))
    sheet = sheet_in(answer.task, answer.shown)
    marked = [span for value in span_ratings(study).filter(annotation=answer).values_list("value", flat=True)
              for span in value["spans"]]  # fmt: skip
    return {
        "item": answer.task.item,
        "document": pieces(sheet.document, [span for span in marked if "output" not in span]),
        "outputs": [
            (output.letter, pieces(output.text, [span for span in marked if span.get("output") == output.key]))
            for output in sheet.outputs
        ],
        "marks": sorted(
            ((sheet.letter_of(span.get("output", "")) or "", span) for span in marked),
            key=lambda one: (len(one[0]), one[0], one[1]["start"]),
        ),
        "fields": protocol.fields(protocol.form_of(answer.answers, questions, sheet), questions, sheet, {}),
        "direction": text_direction(study.language),
    }


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def notes(request: HttpRequest, slug: str) -> HttpResponse:
    """Researchers' notes on the person's own answers; POST marks the named ones as read."""
    person = person_of(request)
    study = study_for(person, slug, ANNOTATORS)
    if request.method == "POST":
        named = [text for text in request.POST.getlist("note") if NUMBER.fullmatch(text)]
        if checking.acknowledge(person, study, [int(text) for text in named]):
            messages.success(request, gettext("Thank you."))
        return redirect("annotation:home")
    found = list(checking.notes_to(person, study))
    unread = [note for note in found if note.seen_at is None]
    return render(request, "annotation/review_notes.html", {"study": study, "notes": found, "unread": unread})
