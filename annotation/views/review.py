"""What researchers look at between batches: the state of a batch, and the queue of marked spans."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation import batching, reviewing
from annotation.access import RESEARCHERS, span_for, study_for
from annotation.checking import sample, unfinished
from annotation.forms import SpanReviewForm
from annotation.marked_spans import OPEN, marked_spans, span_ratings
from annotation.models import Study
from annotation.queueing import STATES, Filters, described, queue, reasons_used

MEANWHILE = "Somebody reviewed this span meanwhile. Yours is not kept yet: look, and send it again."


@require_safe
@signed_in
def review(request: HttpRequest, slug: str) -> HttpResponse:
    """The present batch (or `?batch=`), its spot checks, and how far the spans are."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    released = batching.released(study)
    shown = batch_of(request, study)
    sampled = sample(study, shown)
    spans = marked_spans(study)
    context = {
        "study": study,
        "in_batches": batching.size_of(study) is not None,
        "released": released,
        "batches": batching.batches_of(study),
        "numbers": range(released),
        "state": batching.state_of(study, shown),
        "sampled": sampled,
        "checked": sum(bool(one.verdict) for one in sampled),
        "unfinished": unfinished(study, shown, sampled),
        "is_last": shown == max(released - 1, 0),
        "has_spans": span_ratings(study).exists(),
        "spans": len(spans),
        "decided": sum(span.state != OPEN for span in spans),
    }
    return render(request, "annotation/review.html", context)


def batch_of(request: HttpRequest, study: Study) -> int:
    """The released batch that the address names, or the last one; 0 where there are none."""
    last = max(batching.released(study) - 1, 0)
    named = request.GET.get("batch", "")
    number = int(named) - 1 if named.isascii() and named.isdigit() and len(named) < 7 else last
    return number if 0 <= number <= last else last


@require_POST
@signed_in
def release_batch(request: HttpRequest, slug: str) -> HttpResponse:
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    last = max(batching.released(study) - 1, 0)
    left = unfinished(study, last, sample(study, last))
    try:
        anyway, seen = request.POST.get("anyway") == "yes", request.POST.get("released", "")
        known = int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 7 else None
        batch = batching.release_next(study, person, unfinished=left, anyway=anyway, seen=known)
        messages.success(request, f"Batch {batch.number + 1} is released.")
    except batching.BatchRefusedError as problem:
        messages.error(request, str(problem))
    return redirect("annotation:review", slug=slug)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def span_queue(request: HttpRequest, slug: str) -> HttpResponse:
    """One marked span at a time; by POST a verdict on it, or a step back."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    if request.method != "POST":
        return _span_page(request, study, SpanReviewForm())
    step = _take_back if request.POST.get("step") == "undo" else _decide
    return step(request, study)


def _decide(request: HttpRequest, study: Study) -> HttpResponse:
    person, key = person_of(request), request.POST.get("span", "")
    rating, index = span_for(person, study.slug, key)
    form = SpanReviewForm(request.POST)
    if not form.is_valid():
        return _span_page(request, study, form, key, 422)
    try:
        reviewing.review_span(rating, index, **form.cleaned_data, person=person, number=seen_number(request))
    except reviewing.ReviewedMeanwhileError:
        messages.error(request, MEANWHILE)
        return _span_page(request, study, form, key, 409)
    return redirect(_address(study, request, beyond=key))


def _take_back(request: HttpRequest, study: Study) -> HttpResponse:
    person, key = person_of(request), request.POST.get("span", "")
    span_for(person, study.slug, key)
    last = reviewing.last_review_by(study, person)
    try:
        if last is None or f"{last.rating_id}-{last.index}" != key:
            raise reviewing.ReviewedMeanwhileError
        reviewing.undo_review(last, person)
        messages.success(request, "Taken back.")
    except reviewing.ReviewedMeanwhileError:
        messages.error(request, "There is nothing to take back: something else was said of this span since.")
    return redirect(_address(study, request, at=key))


def seen_number(request: HttpRequest) -> int:
    """The number of the last review that the page showed; what our page cannot have sent counts as stale."""
    text = request.POST.get("number", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def _address(study: Study, request: HttpRequest, **more: str) -> str:
    return reverse("annotation:span_queue", args=[study.slug]) + Filters.of(request.GET.dict()).address(**more)


def _span_page(
    request: HttpRequest, study: Study, form: SpanReviewForm, key: str = "", status: int = 200
) -> HttpResponse:
    filters = Filters.of(request.GET.dict())
    found = queue(study, filters, key or request.GET.get("at", ""), request.GET.get("beyond", ""))
    last = reviewing.last_review_by(study, person_of(request))
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
    }
    return render(request, "annotation/review_spans.html", context, status=status)
