"""Listwise (InstruSum): all outputs of an item side by side, ranked on each of the study's dimensions."""

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from django.utils.translation import gettext_noop

from annotation.models.study import Question
from annotation.protocols import Protocol, StudyInvalidError, TaskPlan, Unit, UnitInvalidError
from annotation.questions import question_types
from annotation.spec_fields import SpecField

FEWEST = 2
COMPARED = ("rank", "extremes")
"""Levels of answers that say something about each output."""
LETTERED = re.compile(r"(.+)-[A-Z]{1,2}")


class ListwiseProtocol(Protocol):
    """One task per item, with all outputs that the item has when the task is made.

    If outputs are added later, another task is made with all outputs. The earlier task stays, because its rankings
    cover a different set. The dimensions are the study's questions of level rank. A study without one asks about each
    output by itself, beside the others.
    """

    key = "listwise"
    label = gettext_noop("Ranking of all outputs of an item")
    own_types = frozenset({"rank", "best_worst", "spans"})
    option_keys = frozenset({"dense"})
    option_fields = (
        SpecField(
            "dense", "Refuse imported rankings with gaps", kind="truth", default=False,
            help="Rankings from the page never have gaps.",
        ),
    )  # fmt: skip
    reading_aids = frozenset({"pin", "expand", "copied_ranks", "word_cursor"})

    def check_study(self, questions: Sequence[Question], options: Mapping[str, Any]) -> None:
        if not any(_compares(question) for question in questions):
            raise StudyInvalidError(
                "questions: at least one must be of type rank or best_worst, or be asked per output"
            )
        if not isinstance(options.get("dense", False), bool):
            raise StudyInvalidError("options.dense: must be true or false")
        keys = {question.key for question in questions}
        for question in questions:
            if question.spec.get("per", "task") not in ("output", "task"):
                raise StudyInvalidError(f"question {question.key}: per must be output or task")
            when = question.spec.get("when")
            if when is not None and not isinstance(when["equals"], bool | int | float | str):
                # The page contains the answer that makes a question apply, and such an answer would name systems.
                raise StudyInvalidError(f"question {question.key}: when cannot ask for ranks, spans or a list")
            named = LETTERED.fullmatch(question.key)
            if named and named[1] in keys:
                # Otherwise this question's field would have the same name as the other's field for an output.
                raise StudyInvalidError(f"question {question.key}: choose a key that does not begin with {named[1]}-")

    def counts_items(self, options: Mapping[str, Any]) -> bool:
        return True

    def plan(self, outputs: Sequence[str], options: Mapping[str, Any], number: int = 0) -> list[TaskPlan]:
        return [TaskPlan(outputs=tuple(outputs))] if len(outputs) >= FEWEST else []

    def allows(self, plan: TaskPlan, outputs: Sequence[str], options: Mapping[str, Any]) -> bool:
        """Allow a task that was made when the item had fewer outputs; outputs are only added at the end."""
        shown = len(plan.outputs)
        return not plan.variant and shown >= FEWEST and plan.outputs == tuple(outputs[:shown])

    def orders(self, count: int, slots: int, random: Random, number: int = 0, seed: int = 0) -> list[list[int]]:
        """Return rows of a Latin square that starts with a Williams sequence; items use the rows in turn.

        Any `count` consecutive rows show each output once in each position; the rows of one item, and of all items, do
        so up to rounding. The square is mirrored after `count` items, so that over two squares each pair of outputs is
        adjacent equally often. Then the outputs are shuffled again.
        """
        block, within = divmod(number, count)
        shuffled = list(range(count))
        Random(f"{seed}:{count}:{block // 2}").shuffle(shuffled)  # noqa: S311 - reproducible, not secret
        columns = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(count)]
        if block % 2:
            columns.reverse()
        rows = range(within * slots, within * slots + slots)
        return [[shuffled[(column + row) % count] for column in columns] for row in rows]

    def keeps_raters(self, options: Mapping[str, Any]) -> bool:
        return False

    def read_unit(self, line: Mapping[str, Any], question: Question) -> Unit:
        if question.spec.get("per", self.asks_per) == "output":
            return super().read_unit(line, question)
        if line.get("output") is not None:
            raise UnitInvalidError("output", "must be left out: this question is asked once for all outputs")
        return Unit()

    def asks_about(self, question: Question) -> str:
        per: str = question.spec.get("per", self.asks_per)
        return per


def _compares(question: Question) -> bool:
    """Return whether the question says something about each output."""
    return question_types()[question.type].level in COMPARED or question.spec.get("per") == "output"


PROTOCOL = ListwiseProtocol()
