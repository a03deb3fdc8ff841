"""Researchers' pages for labelling samples of turns: the samples of a study, and one person's queue."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, signed_in
from annotation.access import NOTHING, RESEARCHERS, study_for
from annotation.members.membership import rater_for
from annotation.models import Rater, Study
from sessions.access import label_sample
from sessions.forms import LabelSampleForm, QueueForm
from sessions.label_samples import NothingToLabelError, draw_labels, next_of, queue_of
from sessions.models import Turn
from sessions.pages.label_queue import label_page, sample_rows
from sessions.turn_labels import LabelRefusedError, label


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def label_samples(request: HttpRequest, slug: str) -> HttpResponse:
    """List the samples of turns to label, and draw another one."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    if request.method != "POST":
        return _samples(request, study, LabelSampleForm(initial={"seed": study.options.get("seed", 0)}))
    form = LabelSampleForm(request.POST)
    if not form.is_valid():
        return _samples(request, study, form, 422)
    try:
        made = draw_labels(study, **form.cleaned_data, actor=person_of(request))
    except NothingToLabelError as problem:
        form.add_error(None, str(problem))
        return _samples(request, study, form, 422)
    return redirect("revision_sessions:label_queue", slug=slug, pk=made.pk)


def _samples(request: HttpRequest, study: Study, form: LabelSampleForm, status: int = 200) -> HttpResponse:
    own = Rater.objects.filter(study=study, person=person_of(request)).first()
    context = {"study": study, "rows": sample_rows(study, own), "form": form}
    return render(request, "sessions/label_samples.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def label_queue(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show a turn of the sample; save this person's label of it and go to the next without one."""
    sample = label_sample(person_of(request), slug, pk)
    if request.method == "POST":
        return _save(request, slug, pk)
    own = Rater.objects.filter(study=sample.study, person=person_of(request)).first()
    queue = queue_of(sample, own)
    page = label_page(sample, queue, own, QueueForm(request.GET).turn())
    context = {
        "study": sample.study, "sample": sample, "page": page, "done": sum(bool(one.own) for one in queue),
        "of": len(queue),
    }  # fmt: skip
    return render(request, "sessions/label_queue.html", context)


def _save(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    sample = label_sample(person_of(request), slug, pk)
    at = QueueForm(request.POST).turn()
    if at not in {one.pk for one in queue_of(sample, None)}:
        raise Http404(NOTHING)
    rater = rater_for(sample.study, person_of(request))
    turn = Turn.objects.select_related("session__study").get(pk=at)
    following: int | None = at
    try:
        label(turn, sample.kind, request.POST.get("value", ""), rater)
    except LabelRefusedError as problem:
        messages.error(request, str(problem))
    else:
        found = next_of(queue_of(sample, rater), at)
        following = found.pk if found else None
    response = redirect(reverse("revision_sessions:label_queue", args=[slug, pk]))
    if following is not None:
        response["Location"] += f"?at={following}"
    return response
