"""What people said in questionnaires, counted (riSum, Table 6); small cells are suppressed with their complements."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models import Rater, Study
from annotation.studies.study_overview import overview_of
from recruiting.entry_step import EntryStep, steps_of
from recruiting.models import PersonalReply
from recruiting.way_in.small_cells import LEAST, safe_counts, safe_total

NO_ANSWER = "no answer"


def background_of(study: Study) -> dict[str, Any]:
    """Return counts of people by answer for each question of the study's questionnaires, as plain JSON values.

    `people` are those with at least one submitted answer. Of `coverage`, `answers` is the share of their submitted
    answers that come from people who replied to at least one question of the step, in whole per cent.
    """
    submitted = {
        one.rater.pk: one.submitted
        for one in overview_of(study).contributions()
        if one.rater is not None and one.submitted
    }
    people = dict(Rater.objects.filter(pk__in=submitted, person__isnull=False).values_list("person", "pk"))
    replies: dict[str, dict[str, dict[int, Any]]] = defaultdict(lambda: defaultdict(dict))
    found = PersonalReply.objects.filter(study=study, person__in=people)
    for step, question, person, value in found.values_list("step", "question", "person", "value"):
        replies[step][question][person] = value
    steps = [step for step in steps_of(study) if step.kind.key == "questionnaire"]
    weights = {person: submitted[rater] for person, rater in people.items()}
    return {
        "study": study.slug, "people": safe_total(len(people)), "least": LEAST,
        "steps": [_of_step(step, replies[step.key], weights) for step in steps],
    }  # fmt: skip


def _of_step(step: EntryStep, replies: Mapping[str, Mapping[int, Any]], weights: Mapping[int, int]) -> dict[str, Any]:
    replied = {person for given in replies.values() for person in given}
    cells = safe_counts({"replied": len(replied), NO_ANSWER: len(weights) - len(replied)})
    total, covered = sum(weights.values()), sum(weights[person] for person in replied)
    shown = safe_total(len(replied)) is not None
    return {
        "step": step.key, "title": step.title, "replied": cells["replied"],
        "coverage": {"answers": round(100 * covered / total) if total and shown else None},
        "questions": [_of_question(one, replies.get(one["key"], {}), len(weights)) for one in step.body["questions"]],
    }  # fmt: skip


def _of_question(question: Mapping[str, Any], given: Mapping[int, Any], people: int) -> dict[str, Any]:
    """With several answers, each answer has a total of its own: those who gave it and those who did not."""
    choices: Sequence[str] = question["choices"]
    counts = Counter(one for value in given.values() for one in (value if isinstance(value, list) else [value]))
    if question.get("multiple"):
        shown = {one: safe_counts({one: counts[one], "": people - counts[one]})[one] for one in choices}
        cells = {**shown, NO_ANSWER: safe_counts({NO_ANSWER: people - len(given), "": len(given)})[NO_ANSWER]}
    else:
        cells = safe_counts({**{one: counts[one] for one in choices}, NO_ANSWER: people - len(given)})
    rows = [{"answer": name, "people": count} for name, count in cells.items()]
    return {"key": question["key"], "text": question["text"], "multiple": bool(question.get("multiple")), "cells": rows}
