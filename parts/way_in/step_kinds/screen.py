"""A screen: required questions about the person, with rules that say which answers fit."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from random import Random
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_noop

from annotation.models import Rater, Study
from annotation.questions import is_number
from files.import_problems import FieldInvalidError
from parts.way_in.entry_step import DeclaredIn, EntryStep, EntryStepKind, Halt, Passages
from parts.way_in.passing import FAILED, PASSED, begin, end
from parts.way_in.personal_questions import keep_replies, question_problems, read_replies
from parts.way_in.step_fields import INTRO, StepField
from parts.way_in.synthetic_replies import synthetic_replies

QUESTIONS_HELP = (
    "YAML, one block per question: key, text, choices, and which answers fit. Rules are fits (a list of choices), "
    "at_least (a choice; choices go from low to high), least and most (with number: true)."
)
RULES = frozenset({"fits", "at_least", "least", "most"})


class ScreenStep(EntryStepKind):
    key = "screen"
    label = gettext_noop("A few questions first")
    about = "People answer required questions about themselves; rules decide who fits."
    spec_keys = frozenset({"intro", "questions"})
    fields = (
        INTRO,
        StepField(
            "questions", "Questions", QUESTIONS_HELP, kind="yaml", required=True,
        ),
    )  # fmt: skip
    asks_people = True

    def problems(self, body: Mapping[str, Any], place: str, within: DeclaredIn) -> Iterator[FieldInvalidError]:
        yield from intro_problems(body, place)
        found = list(question_problems(body, place, RULES))
        yield from found
        if not found:
            for question in body["questions"]:
                yield from _rule_problems(question, f"{place}: question {question['key']}")

    def halt(self, step: EntryStep, passages: Passages, now: datetime) -> Halt | None:
        return Halt(over=True) if any(one.outcome == FAILED for one in passages.of(step)) else None

    def context(self, step: EntryStep, study: Study, form: QueryDict | None) -> dict[str, Any]:
        return {"intro": step.option("intro", "")}

    def synthetic_form(self, step: EntryStep, accuracy: float, random: Random) -> dict[str, Any]:
        """Each answer fits with the probability `accuracy`, else it is anything, which may fit, too."""
        return synthetic_replies(step.body["questions"], accuracy, random)

    def take(self, step: EntryStep, rater: Rater, form: QueryDict, now: datetime) -> None:
        replies = read_replies(step.body["questions"], form, required=True)
        keep_replies(rater, step.key, replies, now)
        fits = all(answer_fits(question, replies[question["key"]]) for question in step.body["questions"])
        end(begin(rater, step.key, now), PASSED if fits else FAILED, now, actor=rater.person)


def intro_problems(body: Mapping[str, Any], place: str) -> Iterator[FieldInvalidError]:
    """Yield what is wrong with the words above a step's questions."""
    if "intro" in body and not isinstance(body["intro"], str):
        yield FieldInvalidError(place, "intro must be text")


def answer_fits(question: Mapping[str, Any], value: Any) -> bool:
    """Whether an answer fits all rules of its question; of several choices, each must fit."""
    given = value if isinstance(value, list) else [value]
    choices = question.get("choices") or []
    if not given:
        return False
    if "fits" in question and not all(one in question["fits"] for one in given):
        return False
    if "at_least" in question and not all(choices.index(one) >= choices.index(question["at_least"]) for one in given):
        return False
    return all(
        question.get(name) is None or (value >= question[name] if name == "least" else value <= question[name])
        for name in ("least", "most")
    )


def _rule_problems(question: Mapping[str, Any], place: str) -> Iterator[FieldInvalidError]:
    choices = question.get("choices")
    fits = question.get("fits")
    if fits is not None and not (choices and isinstance(fits, list) and fits and set(map(str, fits)) <= set(choices)):
        yield FieldInvalidError(place, "fits must be a list of some of its choices")
    if question.get("at_least") is not None and question["at_least"] not in (choices or ()):
        yield FieldInvalidError(place, "at_least must be one of its choices, which go from low to high")
    for name in ("least", "most"):
        if question.get(name) is not None and not (question.get("number") and is_number(question[name])):
            yield FieldInvalidError(place, f"{name} must be a number, and the question needs number: true")


ENTRY_STEP = ScreenStep()
