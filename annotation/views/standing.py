"""Decisions about raters, and the page on which a rater reads and answers one."""

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import person_of, signed_in
from annotation.access import NOTHING, own_place, rater_in
from annotation.members import standing
from annotation.members.standing_forms import ExclusionForm, ExclusionReplyForm, PauseForm
from annotation.models import Study
from annotation.studies.corrections import StudyRefusedError

REFUSED = (standing.DecidedMeanwhileError, StudyRefusedError)


@require_POST
@signed_in
def exclude(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Exclude a rater, with a reason."""
    person = person_of(request)
    rater, form = rater_in(person, slug, pk), ExclusionForm(request.POST)
    if form.is_valid():
        try:
            standing.exclude(rater, form.cleaned_data["reason"], person)
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
            standing.end_exclusion(exclusion, form.cleaned_data["reason"], person)
            messages.success(request, f"{rater.name} is not excluded any more, and gets tasks again.")
        except REFUSED as problem:
            messages.error(request, str(problem))
    return _back(request, rater.study, form)


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
            standing.reply(exclusion, form.cleaned_data["text"], person)
            messages.success(request, gettext("Saved. The researchers see your answer beside the exclusion."))
        except REFUSED as problem:
            messages.error(request, str(problem))
        return redirect("annotation:my_standing", slug=slug)
    replies = exclusion.replies.order_by("pk") if exclusion is not None else ()
    paused = study.raters.filter(person=person, paused_at__isnull=False).first()
    context = {
        "study": study,
        "exclusion": exclusion,
        "replies": replies,
        "paused": paused,
        "form": form,
        "pause": standing.pause_of(paused) if paused else None,
        "is_awaited": paused is not None and standing.is_awaited(paused),
    }
    return render(request, "annotation/my_standing.html", context, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def pause_rater(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Say what a pause does; POST pauses the rater with a reason, or with `resume` gives them work again."""
    person = person_of(request)
    rater = rater_in(person, slug, pk)
    if rater.person_id is None:
        raise Http404(NOTHING)
    form = PauseForm(request.POST if request.method == "POST" and "resume" not in request.POST else None)
    try:
        if request.method == "POST" and "resume" in request.POST:
            standing.resume_rater(rater, person)
            messages.success(request, f"{rater.name} gets tasks again.")
            return redirect("annotation:people", slug=slug)
        if form.is_valid():
            standing.pause_rater(rater, form.cleaned_data["reason"], person)
            messages.success(request, f"{rater.name} is paused, and can read your reason.")
            return redirect("annotation:people", slug=slug)
    except standing.PauseRefusedError as problem:
        messages.error(request, str(problem))
        return redirect("annotation:pause_rater", slug=slug, pk=pk)
    context = {"study": rater.study, "rater": rater, "form": form, "pause": standing.pause_of(rater)}
    return render(request, "annotation/pause.html", context, status=422 if form.is_bound else 200)
