"""Peeks: looks of people at results while a stop plan is running. The only writer of peeks.

A person, a kind and a day (UTC) are one peek, however often a page is opened. Studies without a plan have no query
more. Single answers, as on pages of reviews, are no figures and no peeks; neither are the looks of the plan itself.
"""

from collections.abc import Iterable
from typing import Any

from django.db import IntegrityError, transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Membership, Study
from config.database_clock import database_now
from config.text_validation import time_text
from parts.stopping.fixing import ENDING
from parts.stopping.models import ResultPeek, StopPlan
from parts.stopping.plan_spec import STOPPING

PEEKED = "results seen"
OPERATOR = "operator"
RUNNING = (Study.Status.LIVE, Study.Status.PAUSED)
PAGES = {
    "report": "report", "overview": "agreement on the overview", "judges": "judges against people",
    "tables": "tables of papers", "disagreement": "disagreement", "rater_checks": "rater checks",
    "power": "planning from answers so far", "plot": "plot", "file": "table as a file", "export": "export",
    "api_report": "report of the api", "answer_list": "list of answers",
}  # fmt: skip
"""How a sentence calls the pages that are told of; others are called as they are told."""


def running_plan(study: Study) -> StopPlan | None:
    """The plan whose looks are still to come, or None."""
    given = study.options.get(STOPPING)
    if not isinstance(given, dict) or not given.get("rules") or study.status not in RUNNING:
        return None
    return StopPlan.objects.filter(study=study, in_time=True).exclude(looks__decision__in=ENDING).first()


def note_peek(study: Study, person: Person, kind: str) -> None:
    """Keep that `person` sees results of the study on a page of this kind, if its plan is running."""
    plan = running_plan(study)
    if plan is None:
        return
    now = database_now()
    if ResultPeek.objects.filter(plan=plan, by=person, kind=kind, day=now.date()).exists():
        return
    member = Membership.objects.filter(study=study, person=person, active=True).first()
    role = member.role if member is not None else OPERATOR
    try:
        with transaction.atomic():
            ResultPeek.objects.create(plan=plan, by=person, role=role, kind=kind, day=now.date(), at=now)
            new = {"kind": kind, "role": role}
            record(PEEKED, kind, actor=person, study=study.slug, new=new)
    except IntegrityError:  # another request of this person has kept it
        return


def peek_facts(plan: StopPlan | None) -> dict[str, Any]:
    """How many peeks there were, of how many people, by role and by kind, and when the first one was.

    All who were erased since count as one person.
    """
    peeks = list(ResultPeek.objects.filter(plan=plan).order_by("at").values_list("by", "role", "kind", "at"))
    return {
        "total": len(peeks),
        "people": len({by for by, *_ in peeks}),
        "roles": _counts(role for _, role, *_ in peeks),
        "kinds": _counts(kind for _, _, kind, _ in peeks),
        "first_at": time_text(peeks[0][3]) if peeks else None,
    }


def peeks_in_words(facts: dict[str, Any]) -> str:
    """The facts as a sentence for pages and reports."""
    if not facts["total"]:
        return "Nobody looked at results while the plan was running."
    roles = ", ".join(f"{count} by {'an' if role[0] in 'ao' else 'a'} {role}" for role, count in facts["roles"].items())
    kinds = ", ".join(f"{PAGES.get(kind, kind)} {count}" for kind, count in facts["kinds"].items())
    people = f"{facts['people']} {'person' if facts['people'] == 1 else 'people'}"
    times = "once" if facts["total"] == 1 else f"{facts['total']} times"
    return f"{people} looked at results {times} while the plan was running ({roles}): {kinds}."


def _counts(values: Iterable[str]) -> dict[str, int]:
    listed = list(values)
    return {one: listed.count(one) for one in sorted(set(listed))}
