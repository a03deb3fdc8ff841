"""Researchers' pages between batches: the progress of a batch, and the queue of marked spans."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, span_for, study_for
from annotation.blinding import names_of
from annotation.forms import SpanReviewForm
from annotation.models import Study
from annotation.review import verdicts
from annotation.review.batch_samples import batch_review
from annotation.review.marked_spans import span_ratings
from annotation.review.review_requests import batch_of, release_options, seen_number
from annotation.review.span_queue import STATES, Filters, described, queue, reasons_used, span_counts
from annotation.studies import batches
from annotation.studies.newer_counts import UNCHANGED, has_shown
from config.htmx_request import HtmxRequest

PAGE_SIZE = 100
NEWER_REVIEW = "Somebody else has reviewed this span. Your verdict is not saved: read theirs, then save yours again."


@require_safe
@signed_in
def review(request: HtmxRequest, slug: str) -> HttpResponse:
    """The current batch, or `?batch=N`: its answers, its spot checks and its marked spans."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    released = batches.released(study)
    shown = batch_of(request, study)
    reviewed = batch_review(study, shown)
    spans = span_counts(study) if span_ratings(study).exists() else None
    if has_shown(request, reviewed.kept, spans.kept if spans else None):
        return HttpResponse(status=UNCHANGED)
    context = {
        "study": study,
        "in_batches": batches.size_of(study) is not None,
        "released": released,
        "batches": batches.batches_of(study),
        "numbers": range(released),
        "number": shown + 1,
        "state": reviewed.state,
        "review": reviewed,
        "kept": reviewed.kept,
        "sampled": Paginator(reviewed.sampled, PAGE_SIZE).get_page(request.GET.get("page")),
        "unfinished": reviewed.unfinished,
        "is_last": shown == max(released - 1, 0),
        "spans": spans,
    }
    return render(request, "annotation/review.html", context)


@require_POST
@signed_in
def release_batch(request: HttpRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    last = max(batches.released(study) - 1, 0)
    left = batch_review(study, last).unfinished
    try:
        seen, anyway = release_options(request)
        batch = batches.release_next(study, person, unfinished=left, anyway=anyway, seen=seen)
        messages.success(request, f"Batch {batch.number + 1} is released.")
    except batches.BatchRefusedError as problem:
        messages.error(request, str(problem))
    return redirect("annotation:review", slug=slug)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def span_queue(request: HttpRequest, slug: str) -> HttpResponse:
    """One marked span at a time; POST saves a verdict on it or undoes the last one."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    if request.method != "POST":
        return _span_page(request, study, SpanReviewForm())
    step = _undo if request.POST.get("step") == "undo" else _decide
    return step(request, study)


def _decide(request: HttpRequest, study: Study) -> HttpResponse:
    person, key = person_of(request), request.POST.get("span", "")
    rating, index = span_for(person, study.slug, key)
    form = SpanReviewForm(request.POST)
    if not form.is_valid():
        return _span_page(request, study, form, key, 422)
    try:
        verdicts.review_span(rating, index, **form.cleaned_data, person=person, number=seen_number(request))
    except verdicts.ReviewedMeanwhileError:
        messages.error(request, NEWER_REVIEW)
        return _span_page(request, study, form, key, 409)
    return redirect(_address(study, request, beyond=key))


def _undo(request: HttpRequest, study: Study) -> HttpResponse:
    person, key = person_of(request), request.POST.get("span", "")
    span_for(person, study.slug, key)
    last = verdicts.last_review_by(study, person)
    try:
        if last is None or f"{last.rating_id}-{last.index}" != key:
            raise verdicts.ReviewedMeanwhileError
        verdicts.undo_review(last, person)
        messages.success(request, "Verdict undone.")
    except verdicts.ReviewedMeanwhileError:
        messages.error(request, "Nothing to undo: this span has a newer review.")
    return redirect(_address(study, request, at=key))


def _address(study: Study, request: HttpRequest, **more: str) -> str:
    return reverse("annotation:span_queue", args=[study.slug]) + Filters.of(request.GET.dict()).address(**more)


def _span_page(
    request: HttpRequest, study: Study, form: SpanReviewForm, key: str = "", status: int = 200
) -> HttpResponse:
    filters = Filters.of(request.GET.dict(), names_of(study))
    found = queue(study, filters, key or request.GET.get("at", ""), request.GET.get("beyond", ""))
    last = verdicts.last_review_by(study, person_of(request))
    context: dict[str, Any] = {
        "study": study,
        "queue": found,
        "filters": filters,
        "states": STATES,
        "form": form,
        "shown": described(found.span) if found.span else None,
        "reasons": reasons_used(study),
        "last": last,
        "before": filters.address(at=found.before.key) if found.before else "",
        "after": filters.address(at=found.after.key) if found.after else "",
        "further": filters.address(beyond=found.reached.key) if found.reached else "",
        "kept": found.kept,
    }
    return render(request, "annotation/review_spans.html", context, status=status)
