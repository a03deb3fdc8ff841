"""People's answers to a question, unit by unit: what derived tables are made of.

They are the answers that the agreement report counts by default: of people, about items of the main pool, under the
latest version of the guidelines that has answers. Those of third raters count, too. Of a person who judged a unit
more than once, the latest counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import Any

from annotation.blinding import Names, names_of, systems_of
from annotation.models import Question, Rater, Study
from annotation.questions import question_types
from reports.figures.agreement_report import choose
from reports.figures.rows import PEOPLE, Choice

CHUNK = 2000
COLUMNS = (
    "item_id", "item__key", "output__key", "other_output__key", "variant", "rater_id", "value", "shown",
    "submitted_at", "ordinal", "pk",
)  # fmt: skip


@dataclass(frozen=True, order=True)
class AnsweredUnit:
    """What answers are about: one output, two outputs sorted as they are called, or a task with its variant."""

    outputs: tuple[str, ...]
    variant: str


@dataclass(frozen=True)
class ItemAnswers:
    """The answers to one question about one item: by unit, sorted, and by the rater's name, sorted.

    `shown` has the outputs that a rater saw in one of these tasks, if that is known.
    """

    item: int
    key: str
    units: dict[AnsweredUnit, dict[str, Any]]
    shown: dict[tuple[AnsweredUnit, str], list[str]]


class PeopleAnswersByItem:
    """Reads the counted answers of one study; systems are called as its researchers see them."""

    def __init__(self, study: Study) -> None:
        self.study = study
        chosen = choose(study, PEOPLE, frozenset(), None)[0]
        self.choice: Choice = replace(chosen, only_planned=False)  # labels are made of third raters' answers, too

    @cached_property
    def names(self) -> Names:
        return names_of(self.study)

    @cached_property
    def systems(self) -> frozenset[str]:
        """The names of a blinded study's systems."""
        return systems_of(self.study)

    @cached_property
    def raters(self) -> dict[int, str]:
        return dict(Rater.objects.filter(study=self.study).values_list("pk", "name"))

    def items(self, question: Question) -> Iterator[ItemAnswers]:
        """Yield the answers to a question item by item, in the order of import."""
        rows = self.choice.rows(self.study).filter(question=question)
        found = rows.order_by("item_id").values_list(*COLUMNS).iterator(chunk_size=CHUNK)
        for item, group in groupby(found, key=lambda row: row[0]):
            listed = sorted(group, key=lambda row: (row[8] is not None, row[8], row[9:]))
            units: dict[AnsweredUnit, dict[str, Any]] = {}
            shown: dict[tuple[AnsweredUnit, str], list[str]] = {}
            for _, _, output, other, variant, rater, value, order, *_ in listed:
                unit, name = self._unit(output, other, variant), self.raters[rater]
                units.setdefault(unit, {})[name] = self.names.value(question_types()[question.type].level or "", value)
                shown[unit, name] = [self.names.shown(key) for key in order or ()]
            ordered = {unit: dict(sorted(units[unit].items())) for unit in sorted(units)}
            yield ItemAnswers(item, listed[0][1], ordered, shown)

    def _unit(self, output: str | None, other: str | None, variant: str) -> AnsweredUnit:
        outputs = tuple(sorted(self.names.shown(key) for key in (output, other) if key is not None))
        return AnsweredUnit(outputs, self.names.known(variant, self.systems))
