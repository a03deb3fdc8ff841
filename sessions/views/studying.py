"""Researchers' pages: the sessions of a study, one of them with its labels, and sampling turns to be re-rated."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import person_of, signed_in
from annotation.access import RESEARCHERS, study_for
from annotation.membership import rater_for
from annotation.models import Rater
from sessions.access import studied_session, studied_turn
from sessions.labelling import LabelRefusedError, label
from sessions.second import SampleRefusedError, ratable_turns, sample_turns
from sessions.studying import A_PAGE, STATUSES, models_of, rows_of, sessions_of, studied_turns

MOST_RATERS = 100


@require_safe
@signed_in
def sessions(request: HttpRequest, slug: str) -> HttpResponse:
    """The study's sessions, with filters kept in the address."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    status, model = request.GET.get("status", ""), request.GET.get("model", "")
    page = Paginator(sessions_of(study, status, model), A_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study, "page": page, "rows": rows_of(list(page)), "status": status, "model": model,
        "statuses": STATUSES.choices, "models": models_of(study), "ratable": len(ratable_turns(study)),
        "second": study.option("second_ratings", {}),
    }  # fmt: skip
    return render(request, "sessions/sessions.html", context)


@require_safe
@signed_in
def studied(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One session, read only but for the researcher's labels."""
    found = studied_session(person_of(request), slug, pk)
    own = Rater.objects.filter(study=found.study, person=person_of(request)).first()
    turns, state = studied_turns(found, own)
    return render(
        request, "sessions/studied.html", {"study": found.study, "session": found, "turns": turns, "state": state}
    )


@require_POST
@signed_in
def label_turn(request: HttpRequest, slug: str, pk: int, number: int) -> HttpResponse:
    """Keep what the researcher calls a turn."""
    turn = studied_turn(person_of(request), slug, pk, number)
    rater = rater_for(turn.session.study, person_of(request))
    kind, value = request.POST.get("kind", ""), request.POST.get("value", "")
    try:
        label(turn, kind, value, rater)
    except LabelRefusedError as problem:
        messages.error(request, str(problem))
    else:
        messages.success(request, f"Kept for turn {number}: {value}.")
    response = redirect("revision_sessions:studied", slug=slug, pk=pk)
    response["Location"] += f"#turn-{number}"
    return response


@require_POST
@signed_in
def sample(request: HttpRequest, slug: str) -> HttpResponse:
    """Open places for second raters on a share of the rated turns."""
    study = study_for(person_of(request), slug, RESEARCHERS)
    count, raters = _whole(request.POST.get("count", "")), _whole(request.POST.get("raters", "1"))
    if count is None or raters is None or not 1 <= raters <= MOST_RATERS:
        messages.error(request, f"Say how many turns, and how many second raters for each (1 to {MOST_RATERS}).")
        return redirect("revision_sessions:sessions", slug=slug)
    try:
        drawn = sample_turns(study, count=count, seed=study.option("seed", 0), raters=raters, actor=person_of(request))
    except SampleRefusedError as problem:
        messages.error(request, str(problem))
    else:
        said = f"{drawn.turns} of {drawn.of} rated turns are to be rated again; {drawn.opened} new places are open."
        messages.success(request, said)
    return redirect("revision_sessions:sessions", slug=slug)


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None
