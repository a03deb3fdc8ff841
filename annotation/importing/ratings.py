"""Ratings of people and scores of models and metrics, from the lines of a file, batch by batch.

A line that is there already is passed over; one that says otherwise than the line it stands for is refused.
Imported ratings fill no slots and belong to no annotation.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.importing import fields
from annotation.importing.cells import Cell
from annotation.importing.identity import Known, content, identity
from annotation.importing.material import Material
from annotation.importing.problems import FieldInvalidError, Problems, quoted
from annotation.importing.raters import DEFAULT_KIND, Raters
from annotation.importing.reading import JSONInvalidError
from annotation.importing.tables import cell_json
from annotation.models import Question, Rating, Study
from annotation.protocols import Unit, UnitInvalidError, protocols
from annotation.questions import QuestionType, ValueInvalidError, question_types
from annotation.text import TextRefusedError, check_json
from config.bulk import insert_rows, stored_time
from config.fields import canonical_json

BATCH = 2000
LINE_KEYS = frozenset({
    "item", "rater", "rater_kind", "question", "value", "explanation", "shown", "seconds", "submitted_at",
    "guidelines_version", "run", "replicate", "distribution", "metadata",
})  # fmt: skip
COLUMNS = (
    "study_id", "question_id", "rater_id", "item_id", "output_id", "other_output_id", "variant", "revision",
    "is_current", "level", "number", "value", "off_scale", "guidelines_version", "run", "replicate", "ordinal",
    "explanation", "shown", "seconds", "submitted_at", "distribution", "metadata",
)  # fmt: skip


@dataclass(slots=True)
class ReadRating:
    """A line, checked by itself; whether its item and outputs exist is seen when its batch is written."""

    line: int
    item: str
    unit: Unit
    rater: str
    machine: bool
    question: Question
    value: Any
    submitted_at: Any
    said: tuple[Any, ...]
    """From explanation to metadata, in the order of `identity.CONTENT` after the value."""


class RatingImport:
    """One file's ratings on their way into a study; counts what it did."""

    def __init__(self, study: Study, raters: Raters, material: Material, problems: Problems) -> None:
        self.study = study
        self.protocol = protocols()[study.protocol]
        self.keys = LINE_KEYS | self.protocol.unit_keys
        self.questions = {question.key: question for question in study.questions.all()}
        self.types = question_types()
        self.versions = fields.versions_of(study)
        self.raters = raters
        self.material = material
        self.problems = problems
        self.known = Known(study)
        self.added = 0
        self._batch: list[ReadRating] = []

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Read and write all lines; raises ImportRefusedError with what is wrong."""
        for line, body in objects:
            try:
                self._batch.append(self._read(line, body))
            except (FieldInvalidError, UnitInvalidError) as problem:
                self.problems.add(line, problem.field, problem.reason)
                continue
            if len(self._batch) >= BATCH:
                self._flush()
        self._flush()
        self.problems.refuse_if_any()

    def _read(self, line: int, body: Mapping[str, Any]) -> ReadRating:
        fields.only(body, self.keys, "a rating")
        item, key = body.get("item"), body.get("question")
        if self.protocol.names_item == (item is None) or not isinstance(item, str | None):
            reason = "is missing" if item is None else "must be text" if self.protocol.names_item else "is no key here"
            raise FieldInvalidError("item", reason)
        question = self.questions.get(key) if isinstance(key, str) else None
        if question is None:
            raise FieldInvalidError("question", "is missing" if key is None else f"{quoted(key)} is no question here")
        rater, kind = self.raters.name_and_kind(body.get("rater"), body.get("rater_kind"))
        machine = kind != DEFAULT_KIND
        return ReadRating(
            line=line,
            item=item or "",
            unit=self.protocol.read_unit(body, question),
            rater=rater,
            machine=machine,
            question=question,
            value=checked_value(body.get("value"), question, self.types[question.type], machine),
            submitted_at=fields.moment(body, "submitted_at"),
            said=(
                fields.text(body, "explanation"),
                fields.keys(body, "shown"),
                fields.seconds(body, "seconds"),
                fields.version(body, self.versions),
                fields.text(body, "run", fields.LONGEST_RUN) or "",
                fields.whole(body, "replicate"),
                body.get("distribution"),
                fields.mapping(body, "metadata"),
            ),
        )

    def _flush(self) -> None:
        batch, self._batch = self._batch, []
        if not self.protocol.names_item:
            batch = self._located(batch)
        found = self.material.find(rating.item for rating in batch)
        placed = [(rating, *self._place(rating, found)) for rating in batch if self._exists(rating, found)]
        self._check_shown([rating for rating, *_ in placed])
        if self.problems.found:
            return
        self.raters.flush()
        rows = [row for rating, item, output, other in placed if (row := self._row(rating, item, output, other))]
        if self.problems.found:
            return
        insert_rows(Rating, COLUMNS, rows)
        self.added += len(rows)

    def _located(self, batch: list[ReadRating]) -> list[ReadRating]:
        """Those of a batch whose units exist, each with its item."""
        items = self.protocol.locate(self.study, {rating.unit for rating in batch})
        for rating in batch:
            rating.item = items.get(rating.unit, "")
            if not rating.item:
                named = " ".join(f"{key} {value}" for key, value in self.protocol.unit_line(rating.unit).items())
                self.problems.add(rating.line, "", f"is about something that is not in this study: {quoted(named)}")
        return [rating for rating in batch if rating.item]

    def _exists(self, rating: ReadRating, found: Mapping[str, tuple[int, dict[str, int]]]) -> bool:
        """Whether the item and outputs of a line exist; a problem where not."""
        item = found.get(rating.item)
        if item is None:
            self.problems.add(rating.line, "item", f"{quoted(rating.item)} is no item of this study")
            return False
        named = [key for key in (rating.unit.output, rating.unit.other) if key is not None]
        for field, keys in (("output", named), ("shown", rating.said[1] or [])):
            for key in keys:
                if not isinstance(key, str) or key not in item[1]:
                    reason = f"{quoted(key)} is no output of item {quoted(rating.item)}"
                    self.problems.add(rating.line, field, reason)
                    return False
        return True

    def _check_shown(self, batch: list[ReadRating]) -> None:
        """Whether values fit the outputs that they are about; texts are fetched only where a value speaks of them."""
        about = [rating for rating in batch if self.types[rating.question.type].needs_outputs]
        reading = {rating.item for rating in about if self.types[rating.question.type].needs_texts}
        sheets = self.material.sheets({rating.item for rating in about} - reading, texts=False)
        sheets |= self.material.sheets(reading, texts=True)
        for rating in about:
            kind, spec, sheet = self.types[rating.question.type], rating.question.spec, sheets[rating.item]
            named = [key for key in (rating.unit.output, rating.unit.other) if key is not None]
            try:
                kind.check_shown(rating.value, spec, sheet.only(named) if named else sheet)
                kind.check_options(rating.value, spec, self.study.options)
            except ValueInvalidError as problem:
                self.problems.add(rating.line, "value", str(problem))

    @staticmethod
    def _place(
        rating: ReadRating, found: Mapping[str, tuple[int, dict[str, int]]]
    ) -> tuple[int, int | None, int | None]:
        item, outputs = found[rating.item]
        unit = rating.unit
        return (
            item,
            None if unit.output is None else outputs[unit.output],
            None if unit.other is None else outputs[unit.other],
        )

    def _row(self, rating: ReadRating, item: int, output: int | None, other: int | None) -> tuple[Any, ...] | None:
        """The row of a line, None where the line is there already or says otherwise than what is there."""
        question, value, said = rating.question, rating.value, rating.said
        rater = self.raters.known[rating.rater][0]
        variant = rating.unit.variant
        name = identity(question.pk, rater, item, output, other, rating.submitted_at, variant)
        ordinal, there = self.known.match(name, content((value, *said)))
        if there is not None:
            if not there:
                reason = (
                    f"{quoted(rating.rater)} has another answer to this question about this unit already; one that "
                    "was given later needs its own submitted_at"
                )
                self.problems.add(rating.line, "value", reason)
            return None
        explanation, shown, seconds, version, run, replicate, distribution, metadata = said
        kind = self.types[question.type]
        return (
            self.study.pk, question.pk, rater, item, output, other, variant, 1, True, kind.level, kind.number(value),
            canonical_json(value), rating.machine and kind.off_scale(value, question.spec), version, run, replicate,
            ordinal, explanation, _json(shown), seconds, stored_time(rating.submitted_at), _json(distribution),
            _json(metadata),
        )  # fmt: skip


def _json(value: Any) -> str | None:
    return None if value is None else canonical_json(value)


def checked_value(value: Any, question: Question, kind: QuestionType, machine: bool) -> Any:
    """The value of a line, which must fit its question; raises FieldInvalidError.

    A CSV cell is text where the question takes it as text, otherwise JSON.
    """
    check = kind.check_machine if machine else kind.check
    if isinstance(value, Cell):
        try:
            return check(str(value), question.spec)
        except ValueInvalidError as problem:
            try:
                value = check_json(cell_json(value))
            except (JSONInvalidError, TextRefusedError):
                raise FieldInvalidError("value", str(problem)) from None
    if value is None:
        raise FieldInvalidError("value", "is missing")
    try:
        return check(value, question.spec)
    except ValueInvalidError as problem:
        raise FieldInvalidError("value", str(problem)) from None
