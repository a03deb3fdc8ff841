"""What people said in questionnaires, counted (riSum, Table 6), so that no difference of counts tells on anybody.

Small cells are suppressed with their complements. While people can still come, they are counted in groups of five, in
the order of their first answers, and counts are rounded down to multiples of five: who joins alone changes nothing.
Once the study is closed counts are exact, unless it was opened again or somebody has left since.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Min

from accounts.audited_erasure import RATER_ERASED
from accounts.models import AuditEntry
from annotation.models import Annotation, Rater, Study
from annotation.studies.study_overview import overview_of
from parts.way_in.entry_step import EntryStep, steps_of
from parts.way_in.models import PersonalReply
from parts.way_in.small_cells import LEAST, safe_counts, safe_total

NO_ANSWER, GONE = "no answer", "an answer that is not offered any more"
COVERAGE_STEP = 5
"""Per cent. Answers per rater are known, so that an exact share would tell who has replied."""


@dataclass(frozen=True)
class CountedPeople:
    """The people who are counted, each with their submitted answers, and whether counts are exact."""

    weights: Mapping[int, int]
    is_final: bool

    def shown(self, count: int | None) -> int | None:
        return count if count is None or self.is_final else count // LEAST * LEAST


def background_of(study: Study) -> dict[str, Any]:
    """Return counts of people by answer for each question of the study's questionnaires, as plain JSON values.

    `people` are those with at least one submitted answer. Of `coverage`, `answers` is the share of their submitted
    answers that come from people who replied to at least one question of the step, to the nearest 5 per cent.
    """
    counted = _counted(study)
    replies: dict[str, dict[str, dict[int, Any]]] = defaultdict(lambda: defaultdict(dict))
    found = PersonalReply.objects.filter(study=study, person__in=counted.weights)
    for step, question, person, value in found.values_list("step", "question", "person", "value"):
        replies[step][question][person] = value
    steps = [step for step in steps_of(study) if step.kind.key == "questionnaire"]
    return {
        "study": study.slug, "people": safe_total(len(counted.weights)), "least": LEAST, "final": counted.is_final,
        "steps": [counts_of_step(step, replies[step.key], counted) for step in steps],
    }  # fmt: skip


def _counted(study: Study) -> CountedPeople:
    submitted = {
        one.rater.pk: one.submitted
        for one in overview_of(study).contributions()
        if one.rater is not None and one.submitted
    }
    people = dict(Rater.objects.filter(pk__in=submitted, person__isnull=False).values_list("person", "pk"))
    firsts = Annotation.objects.filter(rater__in=people.values()).order_by().values_list("rater").annotate(Min("pk"))
    first, is_final = dict(firsts), _is_final(study)
    order = sorted(people, key=lambda person: first.get(people[person], 0))
    if not is_final:
        order = order[: len(order) // LEAST * LEAST]
    return CountedPeople({person: submitted[people[person]] for person in order}, is_final)


def _is_final(study: Study) -> bool:
    """Whether the study was closed once, as its audit says, and nobody has left it since."""
    if study.status != Study.Status.CLOSED:
        return False
    changes = AuditEntry.objects.filter(study=study.slug, action="status changed").order_by("at", "pk")
    closed = [one for one in changes if (one.new or {}).get("status") == Study.Status.CLOSED]
    if len(closed) != 1:
        return False
    return not AuditEntry.objects.filter(study=study.slug, action=RATER_ERASED, at__gte=closed[0].at).exists()


def counts_of_step(step: EntryStep, replies: Mapping[str, Mapping[int, Any]], counted: CountedPeople) -> dict[str, Any]:
    """How many replied at all is left out if a question's missing answers, or those of fewer than five, follow."""
    weights = counted.weights
    questions = [_of_question(one, replies.get(one["key"], {}), counted) for one in step.body["questions"]]
    replied = {person for given in replies.values() for person in given}
    left_out = [len(replied) - len(replies.get(one["key"], {})) for one in questions]
    tells = any(0 < one < LEAST for one in left_out) or any(one["cells"][-1]["people"] is None for one in questions)
    safe = safe_counts({"replied": len(replied), NO_ANSWER: len(weights) - len(replied)})["replied"]
    shown = None if tells else counted.shown(safe)
    total, covered = sum(weights.values()), sum(weights[person] for person in replied)
    share = COVERAGE_STEP * round(100 * covered / total / COVERAGE_STEP) if total else 0
    return {
        "step": step.key, "title": step.title, "replied": shown,
        "coverage": {"answers": None if shown is None else share},
        "questions": questions,
    }  # fmt: skip


def _of_question(question: Mapping[str, Any], given: Mapping[int, Any], counted: CountedPeople) -> dict[str, Any]:
    """With several answers, each answer has cells of its own: who gave it, who gave others, and who gave none."""
    choices: Sequence[str] = question["choices"]
    none = len(counted.weights) - len(given)
    counts = Counter(one for value in given.values() for one in (value if isinstance(value, list) else [value]))
    if question.get("multiple"):
        fits = min(none, len(given)) >= LEAST
        cells = {
            one: counts[one] if min(counts[one], len(given) - counts[one]) >= LEAST else None for one in choices
        } | {NO_ANSWER: none if fits else None}
    else:
        left = sum(counts.values()) - sum(counts[one] for one in choices)  # choices that the study has no more
        found = {one: counts[one] for one in choices} | ({GONE: left} if left else {})
        cells = safe_counts({**found, NO_ANSWER: none})
    rows = [{"answer": name, "people": counted.shown(count)} for name, count in cells.items()]
    return {"key": question["key"], "text": question["text"], "multiple": bool(question.get("multiple")), "cells": rows}
