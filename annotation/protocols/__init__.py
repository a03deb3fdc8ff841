"""Protocols: one module per protocol, found by the registry.

A protocol decides which outputs a task shows and in which order, what is asked about them, and how files name the
unit of a rating. Its page is `protocols/<key>.html`. No code outside its module asks which protocol a study has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from annotation.answers import Answer, AnswersInvalidError, Form, Sheet, Unit
from annotation.common_options import common_fields
from annotation.desk.form_reading import AnswerForms
from annotation.file_format import FileFormat
from annotation.spec_fields import SpecField
from annotation.task_flow import TaskFlow
from config.installed_kinds import PROTOCOLS
from config.registry import discover, find_kind

__all__ = [
    "Answer", "AnswersInvalidError", "FileFormat", "Form", "Protocol", "Sheet", "StudyInvalidError", "TaskFlow",
    "TaskPlan", "Unit", "UnitInvalidError", "protocol_choices", "protocol_of", "protocols", "read_pair",
]  # fmt: skip

if TYPE_CHECKING:
    from annotation.models import Question, Study
    from annotation.questions import QuestionType


class StudyInvalidError(ValueError):
    """The protocol cannot run the study of this file; the message names the key and says how to fix it."""


class UnitInvalidError(ValueError):
    """An imported line does not identify its unit; the message names the field and says how to fix it."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


@dataclass(frozen=True)
class TaskPlan:
    """A task to be made: the keys of the outputs that it shows, in the file's order, and its variant."""

    outputs: tuple[str, ...]
    variant: str = ""
    turn: int | None = field(default=None, compare=False)
    """How many earlier tasks of the study show these outputs, if it differs from the number of earlier items."""


class Protocol(AnswerForms, ABC):
    """How items become tasks, and what a task shows and asks. Instances have no state."""

    key: str
    label: str
    version: int = 1
    """Increased when a change of a page or a check changes what an answer means."""
    own_types: frozenset[str] = frozenset()
    """Question types that compare outputs and that this protocol's page can ask; all other types any page can ask."""
    option_keys: frozenset[str] = frozenset()
    """The options that only this protocol has."""
    option_fields: tuple[SpecField, ...] = ()
    """The fields of `option_keys` on the page that builds a study, in their order there."""
    unit_keys: frozenset[str] = frozenset({"output"})
    """Keys of a rating's line that, with `item`, identify its unit."""
    machine_unit_keys: frozenset[str] = frozenset({"output", "outputs"})
    """The same of a machine's line, which may answer in other shapes (`annotation.machine_shapes`)."""
    reading_aids: frozenset[str] = frozenset({"selection", "common_words", "step"})
    """The reading aids whose uses the page counts; counts of anything else are refused."""
    flow: TaskFlow = TaskFlow()
    """How tasks reach raters. The default suits protocols whose tasks are answered on the desk."""
    files: FileFormat = FileFormat()
    """The protocol's own contents of files. The default suits items with a document and outputs."""

    @property
    def template(self) -> str:
        return f"protocols/{self.key}.html"

    @property
    def all_option_fields(self) -> tuple[SpecField, ...]:
        """The fields of all options that a study of this protocol may have: its own ones first."""
        return (*self.option_fields, *common_fields(self))

    def asks(self, kind: QuestionType) -> bool:
        """Return whether a study of this protocol may have questions of the type."""
        return not kind.needs_outputs or kind.key in self.own_types

    def check_study(self, questions: Sequence[Question], options: Mapping[str, Any]) -> None:
        """Raise StudyInvalidError if the questions or the protocol's own options do not fit."""

    def check_outputs(self, keys: Collection[str]) -> None:
        """Raise UnitInvalidError if an item cannot have outputs with these keys."""

    def read_unit(self, line: Mapping[str, Any], question: Question) -> Unit:
        """Return the unit that a rating's line names by its `unit_keys`. Raises UnitInvalidError."""
        if line.get("output") is None:
            raise UnitInvalidError("output", "is missing: name the output of the item that the rating is about")
        return Unit(output=line["output"])

    def read_machine_unit(self, line: Mapping[str, Any], question: Question) -> Unit:
        """Return the unit that a machine's line names: an output, a pair or neither. Raises UnitInvalidError."""
        output = line.get("output")
        if line.get("outputs") is not None:
            if output is not None:
                raise UnitInvalidError("output", "must be left out, because the line has outputs")
            return read_pair(line)
        if not isinstance(output, str | None):
            raise UnitInvalidError("output", "must be text")
        return Unit(output=output)

    def unit_line(self, unit: Unit) -> dict[str, Any]:
        """Return the keys of a line from which `read_unit` or `read_machine_unit` reads this unit."""
        return {"output": unit.output} if unit.other is None else {"outputs": [unit.output, unit.other]}

    def asks_about(self, question: Question) -> str:
        """Return what people's answers to a question are about: an `output`, a `pair` or the whole `task`."""
        return "output"

    def systems_in(self, options: Mapping[str, Any]) -> set[str]:
        """Return the outputs that the options name, which some item should have."""
        return set()

    def counts_items(self, options: Mapping[str, Any]) -> bool:
        """Return whether `plan` or `orders` uses the item's number. Items are only counted if so: it is slow."""
        return False

    @abstractmethod
    def plan(self, outputs: Sequence[str], options: Mapping[str, Any], number: int = 0) -> list[TaskPlan]:
        """Return the tasks of an item with these output keys. Equal arguments give equal tasks.

        `number` is how many items were imported before this one if `counts_items`, else 0. When an item gets more
        outputs, `plan` is called again: new tasks are added, and earlier ones stay.
        """

    def allows(self, plan: TaskPlan, outputs: Sequence[str], options: Mapping[str, Any]) -> bool:
        """Return whether an imported annotation may be about a task that `plan` does not return (any more)."""
        return False

    @abstractmethod
    def orders(self, count: int, slots: int, random: Random, number: int = 0, seed: int = 0) -> list[list[int]]:
        """Return the order of `count` outputs for each of `slots` raters, balanced over the raters.

        `random` is seeded by study, item and task, `seed` by the study alone. `number` is the plan's `turn`, or else
        the number that `plan` got, so that a balance that one task leaves incomplete can continue in the next task.
        """

    @abstractmethod
    def keeps_raters(self, options: Mapping[str, Any]) -> bool:
        """Return whether a rater who gets one task of an item also gets all its other tasks."""


def read_pair(line: Mapping[str, Any]) -> Unit:
    """Return the pair that a line names as `outputs`, in the order shown unless `shown` says otherwise.

    If `shown` is empty, the order is not known. Raises UnitInvalidError.
    """
    outputs, shown = line["outputs"], line.get("shown")
    if not isinstance(outputs, list) or len(outputs) != 2 or not all(isinstance(key, str) for key in outputs):
        raise UnitInvalidError("outputs", "must be a list of two output ids")
    if outputs[0] == outputs[1]:
        raise UnitInvalidError("outputs", "names the same output twice")
    if isinstance(shown, list) and shown and set(map(str, shown)) != set(outputs):
        raise UnitInvalidError("shown", "must list the two outputs compared")
    return Unit(*outputs)


def protocols() -> Mapping[str, Protocol]:
    """Return all protocols by key."""
    return discover("protocols", "PROTOCOL", in_each=True, group=PROTOCOLS)


def protocol_of(study: Study) -> Protocol:
    """Return the study's protocol without loading the others."""
    found: Protocol = find_kind("protocols", "PROTOCOL", study.protocol, group=PROTOCOLS)
    return found


def protocol_choices() -> list[tuple[str, str]]:
    """Return choices for the model field. Migrations refer to this function, so a new protocol needs no migration."""
    return [(key, protocol.label) for key, protocol in protocols().items()]
