"""All raters' answers to each question about an item, side by side, with machines' beside them and final answers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import quote

from annotation.blinding import in_shown_order, names_of
from annotation.models import Adjudication, Item, Output, Question, Rater, Rating
from annotation.protocols import Unit
from annotation.questions import question_types
from annotation.review.adjudicating import is_asked_about
from judges.models import Judgment

HUMAN = Rater.Kind.HUMAN.value


class UnitKey(NamedTuple):
    """A unit within an item: the primary keys of its outputs, and its variant."""

    output: int | None = None
    other: int | None = None
    variant: str = ""


@dataclass(frozen=True)
class GivenValue:
    """One answer in words, or the `spans` marked; `judgment` is the primary key of the machine's judgment."""

    words: str
    spans: tuple[Mapping[str, Any], ...] = ()
    explanation: str = ""
    off_scale: bool = False
    judgment: int | None = None


@dataclass
class AnswerRow:
    """One rater's answers to a question, a cell per column; a machine has one row per run and rerun."""

    rater: Rater
    run: str
    replicate: int | None
    seconds: float | None
    at: datetime | None
    version: int | None
    surplus: bool
    cells: list[GivenValue | None] = field(default_factory=list)


@dataclass(frozen=True)
class AnswerColumn:
    """A unit, or an output of a ranking, with its final answer. Only a machine's unit may take none."""

    label: str
    unit: UnitKey
    can_adjudicate: bool = True
    names: tuple[str | None, str | None] = (None, None)
    final: Adjudication | None = None
    final_words: str = ""

    @property
    def address(self) -> str:
        """The unit's part of the address of its final answer."""
        fields = {"output": self.names[0], "other": self.names[1], "variant": self.unit.variant}
        return "".join(f"&{name}={quote(value)}" for name, value in fields.items() if value)


@dataclass(frozen=True)
class QuestionAnswers:
    """A question with what everybody answered; `disagreement` is None if no two people answered about a unit."""

    question: Question
    columns: list[AnswerColumn]
    people: list[AnswerRow]
    machines: list[AnswerRow]
    disagreement: float | None
    can_adjudicate: bool


class SideBySide:
    """Reads the answers of one item in four queries, however many raters it has."""

    def __init__(
        self, item: Item, questions: list[Question], outputs: list[Output], by_question: Mapping[str, float]
    ) -> None:
        self.item, self.questions, self.by_question = item, questions, by_question
        shown = names_of(item.study)
        outputs = in_shown_order(item.study, outputs)
        self.shown_names, self.systems = shown, {output.key for output in outputs}
        self.names = {output.pk: shown.shown(output.key) for output in outputs}
        self.places = {pk: place for place, pk in enumerate(self.names)}
        rows = Rating.objects.filter(item=item, is_current=True).select_related("rater", "annotation")
        self.ratings = list(rows.order_by("rater__name", "run", "replicate", "pk"))
        self.final = {
            (one.question_id, UnitKey(one.output_id, one.other_output_id, one.variant)): one
            for one in Adjudication.objects.filter(item=item, is_current=True).select_related("by")
        }
        self.judgments = self._judgments()

    def sections(self) -> list[QuestionAnswers]:
        return [self._section(question) for question in self.questions]

    def _judgments(self) -> dict[tuple[Any, ...], int]:
        if all(rating.rater.kind == HUMAN for rating in self.ratings):
            return {}
        rows = Judgment.objects.filter(item=self.item, recorded=True, question__isnull=False)
        names = ("run__rater", "run__name", "replicate", "question", "output", "other_output", "pk")
        return {tuple(found): pk for *found, pk in rows.values_list(*names)}

    def _section(self, question: Question) -> QuestionAnswers:
        mine = [rating for rating in self.ratings if rating.question_id == question.pk]
        ranks = question_types()[question.type].level == "rank"
        columns = self._ranked(question, mine) if ranks else self._columns(question, mine)
        place = {(column.label if ranks else column.unit): number for number, column in enumerate(columns)}
        rows: dict[tuple[Any, ...], AnswerRow] = {}
        for rating in mine:
            row = rows.setdefault(_row_key(rating), _row(rating))
            row.cells = row.cells or [None] * len(columns)
            if ranks and isinstance(rating.value, dict):
                for key, rank in self.shown_names.value("rank", rating.value).items():
                    if key in place:
                        row.cells[place[key]] = self._value(question, rating, str(rank))
            elif (number := place.get(self.label(self._unit(rating)) if ranks else self._unit(rating))) is not None:
                row.cells[number] = self._value(question, rating, self.in_words(question, rating.value, rating.level))
        found = list(rows.values())
        return QuestionAnswers(
            question, columns,
            [row for row in found if row.rater.kind == HUMAN], [row for row in found if row.rater.kind != HUMAN],
            self.by_question.get(question.key), question_types()[question.type].level != "span",
        )  # fmt: skip

    def _columns(self, question: Question, ratings: Iterable[Rating]) -> list[AnswerColumn]:
        """A column per unit that anybody answered about, in the order of the outputs."""
        finals = [unit for key, unit in self.final if key == question.pk]
        units = sorted(
            {self._unit(rating) for rating in ratings} | set(finals),
            key=lambda unit: (
                unit.variant,
                self.places.get(unit.output or 0, -1),
                self.places.get(unit.other or 0, -1),
            ),
        )
        return [self._column(question, self.label(unit), unit) for unit in units]

    def _ranked(self, question: Question, ratings: Iterable[Rating]) -> list[AnswerColumn]:
        given = [rating.value for rating in ratings if isinstance(rating.value, dict)]
        ranked = {key for value in given for key in self.shown_names.value("rank", value)}
        final = self.final.get((question.pk, UnitKey()))
        if final is not None and isinstance(final.value, dict):
            ranked |= set(self.shown_names.value("rank", final.value))
        columns = [self._column(question, name, UnitKey()) for name in self.names.values() if name in ranked]
        for number, column in enumerate(columns):
            if column.final is not None and isinstance(column.final.value, dict):
                rank = str(self.shown_names.value("rank", column.final.value).get(column.label, ""))
                columns[number] = replace(column, final_words=rank)
        return columns

    def _unit(self, rating: Rating) -> UnitKey:
        """The unit of a rating; a pair in the order of the item's outputs, whatever order it was shown in."""
        pair = [pk for pk in (rating.output_id, rating.other_output_id) if pk is not None]
        pair.sort(key=lambda pk: self.places.get(pk, 0))
        return UnitKey(pair[0] if pair else None, pair[1] if len(pair) > 1 else None, rating.variant)

    def _column(self, question: Question, label: str, unit: UnitKey) -> AnswerColumn:
        final = self.final.get((question.pk, unit))
        said = final is not None and final.value is not None
        words = self.in_words(question, final.value) if final is not None and said else ""
        names = tuple(None if pk is None else self.names.get(pk) for pk in (unit.output, unit.other))
        asked = is_asked_about(self.item.study, question, Unit(names[0], names[1], unit.variant))
        return AnswerColumn(label, unit, asked, (names[0], names[1]), final if said else None, words)

    def label(self, unit: UnitKey) -> str:
        """The systems of a unit's outputs, or its variant, as they are shown; empty for the task as a whole."""
        keys = [self.names.get(pk, "?") for pk in (unit.output, unit.other) if pk is not None]
        return " / ".join([*keys, *([self.shown_names.known(unit.variant, self.systems)] if unit.variant else [])])

    def _value(self, question: Question, rating: Rating, words: str) -> GivenValue:
        spans = (
            self.shown_names.value(rating.level, rating.value).get("spans", [])
            if rating.level == "span" and isinstance(rating.value, dict)
            else []
        )
        name = (
            rating.rater_id, rating.run, rating.replicate or 1, question.pk, rating.output_id, rating.other_output_id
        )  # fmt: skip
        return GivenValue(
            words, tuple(spans), rating.explanation or "", rating.off_scale, self.judgments.get(name)
        )  # fmt: skip

    def in_words(self, question: Question, value: Any, level: str = "") -> str:
        """A value for researchers, who see systems' names, or their codes; its `level`, if it is not the question's."""
        kind = question_types()[question.type]
        value = self.shown_names.value(level or kind.level or "", value)
        if kind.level == "span" and isinstance(value, dict):
            count = len(value.get("spans", []))
            return "no spans" if not count else f"{count} span{'' if count == 1 else 's'}"
        if isinstance(value, dict):
            return ", ".join(f"{key}: {one}" for key, one in value.items())
        words = kind.in_words(value, question.spec)
        return words or ("" if value is None else str(value))


def _row_key(rating: Rating) -> tuple[Any, ...]:
    return rating.rater_id, rating.run, rating.replicate


def _row(rating: Rating) -> AnswerRow:
    return AnswerRow(
        rating.rater, rating.run, rating.replicate, rating.seconds, rating.submitted_at, rating.guidelines_version,
        rating.annotation.surplus if rating.annotation else False,
    )  # fmt: skip
