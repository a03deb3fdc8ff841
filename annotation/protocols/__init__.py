"""Protocols: one module each, found by the registry.

A protocol object carries all its facts: which outputs a task shows, in which orders, what its page needs,
how a submitted form becomes answers, and which flat ratings the answers give. Its page is
`protocols/<key>.html`. Nothing outside a protocol's module asks which protocol it has before it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from annotation import asking
from annotation.answers import Answer, AnswersInvalidError, Form, Sheet, Unit
from config.registry import discover

__all__ = [
    "Answer", "AnswersInvalidError", "Form", "Protocol", "Sheet", "StudyInvalidError", "TaskPlan", "Unit",
    "UnitInvalidError", "protocol_choices", "protocols",
]  # fmt: skip

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from annotation.importing.own_tables import TableImport
    from annotation.models import Assignment, Question, Rater, Slot, Study
    from annotation.questions import QuestionType


class StudyInvalidError(ValueError):
    """A study file that the protocol cannot run; the message names the key and the mend."""


class UnitInvalidError(ValueError):
    """An imported line that does not say what it is about; the message names the field and the mend."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


@dataclass(frozen=True)
class TaskPlan:
    """A task to be made: keys of the item's outputs that it shows, in the file's order, and its variant."""

    outputs: tuple[str, ...]
    variant: str = ""
    turn: int | None = field(default=None, compare=False)
    """How many of the study's earlier tasks show these outputs, where it is not the number of earlier items."""


class Protocol(ABC):
    """What a protocol knows. Instances have no state; `version` grows when a page or a check changes meaning."""

    key: str
    label: str
    version: int = 1
    own_types: frozenset[str] = frozenset()
    """Question types about the outputs together that this protocol's page can ask; all others any page can."""
    option_keys: frozenset[str] = frozenset()
    common_options = frozenset({"seed", "lease_minutes", "same_raters", "batch_size", "spot_check_share"})
    item_keys: frozenset[str] = frozenset()
    """Keys of an item's line that only this protocol has; kept as `Item.content`."""
    asks_per = "task"
    """How often a question is asked that does not say so: once a `task`, or once an `output`."""
    foreign_keys: frozenset[str] = frozenset()
    """Keys of other items' lines that items of this protocol do not have."""
    needs_outputs = True
    """Whether an item comes with at least one output."""
    lease_minutes = 30
    """How long a slot is held without a sign of life, where the study does not say; at most `longest_lease`."""
    longest_lease = 1440
    reading_aids: frozenset[str] = frozenset({"selection", "common_words", "step"})
    """What the page counts the uses of; a count of anything else is refused."""
    unit_keys: frozenset[str] = frozenset({"output"})
    """Keys of a rating's line, beside `item`, that say what it is about."""
    pages: tuple[tuple[str, str], ...] = ()
    """Pages of a study that only this protocol has, for researchers: what they are called, and their routes."""
    offers_all = True
    """Whether a rater may be given every open task; where not, `offered` and `left` are asked."""
    names_item = True
    """Whether a rating's line names its item; otherwise `locate` finds it."""

    @property
    def template(self) -> str:
        return f"protocols/{self.key}.html"

    def asks(self, kind: QuestionType) -> bool:
        """Whether a study of this protocol may have questions of the type."""
        return not kind.needs_outputs or kind.key in self.own_types

    def check_study(self, questions: Sequence[Question], options: Mapping[str, Any]) -> None:
        """Raise StudyInvalidError where questions or options of the protocol's own do not fit."""

    def check_content(self, content: Mapping[str, Any]) -> None:
        """Raise UnitInvalidError where the values of an item's `item_keys` do not fit."""

    def check_outputs(self, keys: Collection[str]) -> None:
        """Raise UnitInvalidError where an item cannot have outputs with these keys."""

    def read_unit(self, line: Mapping[str, Any], question: Question) -> Unit:
        """What a rating's line is about, by its `unit_keys`; raises UnitInvalidError."""
        if line.get("output") is None:
            raise UnitInvalidError("output", "is missing: it says which output of the item is meant")
        return Unit(output=line["output"])

    def unit_line(self, unit: Unit) -> dict[str, Any]:
        """The `unit_keys` of a line from which `read_unit` reads this unit."""
        return {"output": unit.output}

    def locate(self, study: Study, units: Iterable[Unit]) -> Mapping[Unit, str]:
        """The keys of the items that `units` lie in, as far as they exist: where lines do not name their items."""
        return {}

    def importer(self, table: str) -> type[TableImport] | None:
        """What imports a table that only studies of this protocol have; None for one that they do not have."""
        return None

    def counts_items(self, options: Mapping[str, Any]) -> bool:
        """Whether `plan` or `orders` goes by the item's number; only then is it counted, which costs."""
        return False

    @abstractmethod
    def plan(self, outputs: Sequence[str], options: Mapping[str, Any], number: int = 0) -> list[TaskPlan]:
        """The tasks of an item with these output keys, always the same ones.

        `number` says how many items were imported before this one, where `counts_items`; else it is 0. Called
        again for an item that has got more outputs, what is new is added, and what was planned stays.
        """

    def allows(self, plan: TaskPlan, outputs: Sequence[str], options: Mapping[str, Any]) -> bool:
        """Whether an imported annotation may be about a task that is not, or no longer, among those of `plan`."""
        return False

    @abstractmethod
    def orders(self, count: int, slots: int, random: Random, number: int = 0, seed: int = 0) -> list[list[int]]:
        """For each of `slots` raters the order in which `count` outputs are shown, balanced over them.

        `random` is seeded by study, item and task, `seed` depends on the study alone. `number` is the plan's `turn`,
        or that of `plan`: what does not come out even over one task's slots can go on with the next.
        """

    @abstractmethod
    def keeps_raters(self, options: Mapping[str, Any]) -> bool:
        """Whether a rater who gets one task of an item gets all the others of it too."""

    def takes_slots(self, variant: str) -> bool:
        """Whether planning gives slots to tasks of this variant."""
        return True

    def prepared(self, study: Study) -> None:
        """Begin what else is needed once all items have their tasks; called again whenever items are prepared."""

    def check_live(self, study: Study) -> None:
        """Raise StudyInvalidError where the study cannot go live as things are on this site."""

    def warnings(self, study: Study) -> list[str]:
        """Sentences for whoever has imported the study: what would keep it from going live."""
        return []

    def offered(self, slots: QuerySet[Slot], rater: Rater) -> QuerySet[Slot]:
        """Open slots without those of tasks that this rater must not meet; see `offers_all`."""
        return slots

    def left(self, slots: QuerySet[Slot]) -> int:
        """How many tasks a rater can still be given of open slots that are offered to them."""
        return slots.order_by().values("task").distinct().count()

    def ranked(self, slots: QuerySet[Slot], rater: Rater) -> list[int] | None:
        """The open slots' primary keys, what this rater is given first before the others; None: the study's order."""
        return None

    def before(self, rater: Rater) -> str | None:
        """Where somebody is sent who asks for work but has something to say first; None where there is nothing."""
        return None

    def given(self, assignment: Assignment) -> None:
        """Begin what begins when a rater is given a task for the first time; in the transaction that gives it."""

    def released(self, slots: Sequence[Slot]) -> None:
        """End what their holders had under way on slots that are opened to others; in the same transaction."""

    def address(self, assignment: Assignment) -> str:
        """Where the page of a task is that a rater was given."""
        return reverse("annotation:desk", args=[assignment.key])

    def shows(self, assignment: Assignment) -> dict[str, Any]:
        """What the page shows beside document, instruction and outputs; it may be read by whoever holds the task."""
        return {}

    def read_form(self, form: Mapping[str, list[str]], questions: Sequence[Question], sheet: Sheet) -> dict[str, Any]:
        """The answers {question key: value} of a posted form, outputs named by their keys.

        Raises AnswersInvalidError.
        """
        return asking.read_questions(form, questions, sheet, self.asks_per)

    def check_answers(
        self, answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet, machine: bool
    ) -> None:
        """Raise AnswersInvalidError where submitted answers, as files hold them, do not fit their questions."""
        asking.check_answers(answers, questions, sheet, self.asks_per, machine)

    def check_shown(
        self, answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet, options: Mapping[str, Any]
    ) -> None:
        """Raise AnswersInvalidError where checked answers from a file do not fit what was shown, or the options."""
        asking.check_shown(answers, questions, sheet, self.asks_per, options)

    def ratings(self, answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet) -> Iterable[Answer]:
        """The flat ratings that checked answers give."""
        return asking.ratings_of(answers, questions, sheet, self.asks_per, self.whole(sheet))

    def whole(self, sheet: Sheet) -> Unit:
        """The unit of what is asked once a task."""
        return Unit()

    def fields(
        self, form: Mapping[str, list[str]], questions: Sequence[Question], sheet: Sheet, errors: Mapping[str, str]
    ) -> list[dict[str, Any]]:
        """What the page shows of each question; see `asking.fields_of`."""
        return asking.fields_of(form, questions, sheet, self.asks_per, errors)

    def form_of(self, answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet) -> Form:
        """The form that would give these answers: how a saved answer is shown again for editing."""
        return asking.form_of(answers, questions, sheet, self.asks_per)


def protocols() -> Mapping[str, Protocol]:
    """All protocols by key."""
    return discover("protocols", "PROTOCOL")


def protocol_choices() -> list[tuple[str, str]]:
    """For the model field: written to migrations by reference, so that a new protocol makes none."""
    return [(key, protocol.label) for key, protocol in protocols().items()]
