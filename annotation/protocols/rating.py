"""Rating (riSum): each output by itself, with its document and instruction."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from django.utils.translation import gettext_noop

from annotation.models.study import Question
from annotation.protocols import Protocol, Sheet, StudyInvalidError, TaskPlan, Unit


class RatingProtocol(Protocol):
    """One task per output. The same raters get all outputs of an item unless `same_raters` is false."""

    key = "rating"
    label = gettext_noop("Rating of single outputs")
    asks_per = "output"

    def check_study(self, questions: Sequence[Question], options: Mapping[str, Any]) -> None:
        for question in questions:
            if question.spec.get("per", "output") not in ("output", "task"):
                raise StudyInvalidError(f"question {question.key}: per must be output or task")

    def plan(self, outputs: Sequence[str], options: Mapping[str, Any], number: int = 0) -> list[TaskPlan]:
        return [TaskPlan(outputs=(key,)) for key in outputs]

    def orders(self, count: int, slots: int, random: Random, number: int = 0, seed: int = 0) -> list[list[int]]:
        return [list(range(count)) for _ in range(slots)]

    def keeps_raters(self, options: Mapping[str, Any]) -> bool:
        return bool(options.get("same_raters", True))

    def whole(self, sheet: Sheet) -> Unit:
        return Unit(output=sheet.outputs[0].key)


PROTOCOL = RatingProtocol()
