"""Researchers' pages of the way in: how far people came, and who continues after a pilot."""

import re
from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import person_of, signed_in
from accounts.models import Person
from annotation.access import RESEARCHERS, study_for
from annotation.models import Study
from annotation.protocols import protocols
from config.database_clock import database_now
from parts.way_in.access import waiting_passage
from parts.way_in.beside_gold import comparison
from parts.way_in.followers import settle
from parts.way_in.funnel import funnel_of
from parts.way_in.models import StepPassage
from parts.way_in.pilot_decisions import DecidedError, decide

FIELD = "decision-"
DIGITS = re.compile(r"[0-9]{1,18}", re.ASCII)
SAVED = "Your decision is saved. The person sees it on their next page."


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def funnel(request: HttpRequest, slug: str) -> HttpResponse:
    """How many people came how far, and where each person is; POST decides who continues after a pilot."""
    person = person_of(request)
    study = study_for(person, slug, RESEARCHERS)
    if request.method == "POST":
        _tell(request, *_decide_all(study, _chosen(request), person))
        return redirect("way_in:funnel", slug=slug)
    shown, flow = funnel_of(study), protocols()[study.protocol].flow
    waiting = shown.waiting
    begun = flow.begun_by([one.rater.pk for one in waiting]) if flow.has_own_pages and waiting else {}
    rows = [(one, begun.get(one.rater.pk, ())) for one in waiting]
    return render(request, "way_in/funnel.html", {"study": study, "funnel": shown, "waiting": rows})


def _chosen(request: HttpRequest) -> dict[int, str]:
    """The decisions of a form by the primary keys of their attempts; names that are no number are passed over."""
    named = {name.removeprefix(FIELD): request.POST[name] for name in request.POST if name.startswith(FIELD)}
    return {int(key): value for key, value in named.items() if value and DIGITS.fullmatch(key)}


def _decide_all(study: Study, chosen: Mapping[int, str], actor: Person) -> tuple[int, int]:
    """Decide on each of these attempts {primary key: decision}; return how many were decided, and how many were not."""
    passages = StepPassage.objects.select_related("rater__person").filter(rater__study=study, pk__in=list(chosen))
    decided = 0
    for passage in passages.order_by("pk"):
        try:
            _decide(study, passage, chosen[passage.pk], actor)
            decided += 1
        except DecidedError:
            continue
    return decided, len(chosen) - decided


def _decide(study: Study, passage: StepPassage, decision: str, actor: Person) -> None:
    """Decide, and end the part of somebody who does not continue. Raises DecidedError."""
    decide(passage, decision, actor, database_now())
    passage.rater.study = study
    settle(passage.rater)


def _tell(request: HttpRequest, decided: int, refused: int) -> None:
    if decided:
        people = "1 person" if decided == 1 else f"{decided} people"
        messages.success(request, f"Saved for {people}. They see it on their next page.")
    if refused:
        people = "1 person does" if refused == 1 else f"{refused} people do"
        messages.error(request, f"{people} not wait for a decision any more: somebody else has decided.")
    if not decided and not refused:
        messages.info(request, "Choose for at least one person whether they continue.")


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def decision(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A person's answers or tasks in a pilot; POST decides whether they continue."""
    passage = waiting_passage(person_of(request), slug, pk)
    study = passage.rater.study
    if request.method == "POST":
        try:
            _decide(study, passage, request.POST.get("decision", ""), person_of(request))
            messages.success(request, SAVED)
        except DecidedError as problem:
            messages.error(request, str(problem))
        return redirect("way_in:funnel", slug=slug)
    answers = passage.answers.select_related("item").order_by("number")
    for answer in answers:
        answer.passage = passage
    flow = protocols()[study.protocol].flow
    begun = flow.begun_by([passage.rater_id]).get(passage.rater_id, ()) if flow.has_own_pages else ()
    rows = [(answer, comparison(answer)) for answer in answers]
    context = {"study": study, "passage": passage, "rows": rows, "begun": begun, "has_own_tasks": flow.has_own_pages}
    return render(request, "way_in/decision.html", context)
