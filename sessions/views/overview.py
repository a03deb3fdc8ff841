"""Researchers' pages: the sessions of a study, one session with its labels, and the sample for second ratings."""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, study_for
from annotation.blinding import Names, names_of
from annotation.members.membership import rater_for
from annotation.models import Rater, Study
from sessions.access import overview_session, overview_turn
from sessions.forms import ChangesForm, SampleForm
from sessions.models import RevisionSession
from sessions.pages.session_overview import (
    A_PAGE,
    STATUSES,
    models_of,
    overview_turns,
    rows_of,
    scripted_models,
    sessions_of,
)
from sessions.second_ratings import SampleRefusedError, ratable_turns, sample_turns
from sessions.turn_labels import LabelRefusedError, label

NO_MODEL = "?"
"""What no model is called: while codes are shown, a model's own name finds nothing."""


@require_safe
@signed_in
def sessions(request: HttpRequest, slug: str) -> HttpResponse:
    """List the study's sessions; the address keeps the filters."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    return _list(request, study, SampleForm(initial={"raters": 1} | study.options.get("second_ratings", {})))


def _list(request: HttpRequest, study: Study, sample_form: SampleForm, status: int = 200) -> HttpResponse:
    chosen, model = request.GET.get("status", ""), request.GET.get("model", "")
    names, models = names_of(study), models_of(study)
    wanted = next((one for one in models if names.shown(one) == model), NO_MODEL if names.are_codes else model)
    page = Paginator(sessions_of(study, chosen, wanted), A_PAGE).get_page(request.GET.get("page"))
    scripted = set() if names.are_codes else scripted_models(study, models)
    context: dict[str, Any] = {
        "study": study, "page": page, "rows": rows_of(_shown(page, names)), "status": chosen, "model": model,
        "statuses": STATUSES.choices, "models": sorted(map(names.shown, models)),
        "ratable": ratable_turns(study).count(),
        "sample_form": sample_form, "scripted": scripted,
    }  # fmt: skip
    return render(request, "sessions/sessions.html", context, status=status)


def _shown(sessions: Iterable[RevisionSession], names: Names) -> list[RevisionSession]:
    """Sessions with their models called as they are shown; they are not saved."""
    rows = list(sessions)
    for row in rows:
        row.model = names.shown(row.model)
    return rows


@require_safe
@signed_in
def overview(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show one session; researchers can only label its turns."""
    found = overview_session(person_of(request), slug, pk)
    own = Rater.objects.filter(study=found.study, person=person_of(request)).first()
    turns, state = overview_turns(found, own, ChangesForm(request.GET).turn())
    names = names_of(found.study)
    scripted = not names.are_codes and bool(scripted_models(found.study, [found.model]))
    found.model = names.shown(found.model)
    context = {"study": found.study, "session": found, "turns": turns, "state": state, "scripted": scripted}
    return render(request, "sessions/overview.html", context)


@require_POST
@signed_in
def label_turn(request: HttpRequest, slug: str, pk: int, number: int) -> HttpResponse:
    """Save the researcher's label of a turn."""
    turn = overview_turn(person_of(request), slug, pk, number)
    rater = rater_for(turn.session.study, person_of(request))
    kind, value = request.POST.get("kind", ""), request.POST.get("value", "")
    try:
        label(turn, kind, value, rater)
    except LabelRefusedError as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, f"Label of turn {number} saved: {value}.")
    response = redirect("revision_sessions:overview", slug=slug, pk=pk)
    response["Location"] += f"#turn-{number}"
    return response


@require_POST
@signed_in
def sample(request: HttpRequest, slug: str) -> HttpResponse:
    """Open slots for second raters on a sample of the rated turns."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    form = SampleForm(request.POST)
    if not form.is_valid():
        return _list(request, study, form, 422)
    try:
        drawn = sample_turns(study, **form.cleaned_data, seed=study.options.get("seed", 0), actor=person_of(request))
    except SampleRefusedError as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, f"Sample: {drawn.turns} of {drawn.of} rated turns. New slots opened: {drawn.opened}.")
    return redirect("revision_sessions:sessions", slug=slug)
