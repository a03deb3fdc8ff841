"""Imports ratings by people and scores by models and metrics from the lines of a file.

A rating that exists already is skipped; a line that contradicts it is refused. Imported ratings fill no slots and
belong to no annotation. Lines of machines may have other shapes than people's, and go to the one writer of such rows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from annotation.machine_ratings import Comparison, MachineRating, MachineRatingWriter
from annotation.machine_shapes import CHOICE, LABEL, TEXT, MachineAnswer, check_answer_shown, checked_answer
from annotation.models import Question, Rating
from annotation.protocols import Unit
from annotation.questions import QuestionType, ValueInvalidError
from annotation.questions.preference import TIE
from annotation.studies.secret_seeds import mixed_ratings
from config.bulk_insert import packed_time
from config.model_fields import canonical_json
from config.text_validation import TextRefusedError, check_json
from files.import_problems import FieldInvalidError, FileProblems, quoted
from files.line_reading import JSONInvalidError
from files.reading import line_fields
from files.reading.csv_tables import cell_json
from files.reading.line_import import LineImport
from files.reading.rater_lookup import DEFAULT_KIND, KINDS
from files.reading.rating_identity import KnownRatings, content, identity
from files.reading.target import ImportTarget
from files.tables.csv_cells import Cell

LINE_KEYS = frozenset({
    "item", "rater", "rater_kind", "question", "value", "explanation", "shown", "seconds", "submitted_at",
    "guidelines_version", "run", "replicate", "distribution", "metadata",
})  # fmt: skip
MACHINES = KINDS - {DEFAULT_KIND}
PERSON_KEYS = frozenset({"third_rater"})
MACHINE_KEYS = frozenset({"missing", "outcome", "prompt_digest"})
OUTCOMES = frozenset(Rating.AgentsOutcome.values)
LONGEST_DIGEST = 64
OTHER_SHARES = "must name the two outputs, by their codes, and ties, since the study is blinded"
COLUMNS = (
    "id", "study_id", "question_id", "rater_id", "item_id", "output_id", "other_output_id", "variant", "revision",
    "is_current", "level", "number", "value", "off_scale", "guidelines_version", "run", "replicate", "ordinal",
    "explanation", "shown", "seconds", "submitted_at", "distribution", "outcome", "prompt_digest", "metadata",
    "third_rater",
)  # fmt: skip


@dataclass(slots=True)
class ReadRating:
    """A line, checked by itself. Whether its item and outputs exist is checked with its batch."""

    line: int
    item: str
    unit: Unit
    rater: str
    question: Question
    value: Any
    submitted_at: Any
    said: tuple[Any, ...]
    """From explanation to the mark of third raters, in the order of `rating_identity.CONTENT` after the value."""
    answer: MachineAnswer | None = None
    """A machine's answer, of which the unit and the value are those of the line."""
    machine_said: tuple[float | None, str, str] = (None, "", "")
    """A machine's missing mass, outcome and prompt digest."""


class RatingImport(LineImport[ReadRating]):
    """Imports the ratings of one file."""

    batch_size = 2000

    def __init__(self, target: ImportTarget, problems: FileProblems) -> None:
        super().__init__(target, problems)
        self.keys = {
            False: LINE_KEYS | PERSON_KEYS | self.protocol.unit_keys,
            True: LINE_KEYS | MACHINE_KEYS | self.protocol.machine_unit_keys,
        }
        self.types, self.raters = target.types, target.raters
        self.machines = MachineRatingWriter(self.study, self.staging)

    @cached_property
    def known(self) -> KnownRatings:
        """All ratings of the study, which only lines of people are compared with."""
        return KnownRatings(self.study, self.staging)

    def read(self, line: int, body: Mapping[str, Any]) -> ReadRating:
        kind = body.get("rater_kind")
        machine = isinstance(kind, str) and kind in MACHINES
        line_fields.only(body, self.keys[machine])
        item, key, names_item = body.get("item"), body.get("question"), self.protocol.files.ratings_name_items
        if names_item == (item is None) or not isinstance(item, str | None):
            raise FieldInvalidError(
                "item", "is missing" if item is None else "must be text" if names_item else "unknown key"
            )
        question = self.target.question_of.get(key) if isinstance(key, str) else None
        if question is None:
            reason = "is missing" if key is None else f"{quoted(key)} is not a question of this study"
            raise FieldInvalidError("question", reason)
        rater, _ = self.raters.name_and_kind(body.get("rater"), body.get("rater_kind"))
        unit = (self.protocol.read_machine_unit if machine else self.protocol.read_unit)(body, question)
        given, answer = body.get("value"), None
        if machine:
            answer = self._answer(given, question, unit)
            value = answer.value
        else:
            value = checked_value(given, question, self.types[question.type])
        return ReadRating(
            line=line,
            item=item or "",
            unit=unit,
            rater=rater,
            question=question,
            value=value,
            submitted_at=line_fields.moment(body, "submitted_at"),
            said=(
                line_fields.text(body, "explanation"),
                line_fields.keys(body, "shown"),
                line_fields.seconds(body, "seconds"),
                line_fields.version(body, self.target.guidelines),
                line_fields.text(body, "run", line_fields.LONGEST_RUN) or "",
                line_fields.whole(body, "replicate"),
                body.get("distribution"),
                line_fields.mapping(body, "metadata"),
                line_fields.flag(body, "third_rater"),
            ),
            answer=answer,
            machine_said=_machine_said(body) if machine else (None, "", ""),
        )

    def _answer(self, given: Any, question: Question, unit: Unit) -> MachineAnswer:
        value = _from_cell(given, question, self.types[question.type], unit) if isinstance(given, Cell) else given
        if value is None:
            raise FieldInvalidError("value", "is missing")
        try:
            return checked_answer(question, self.protocol, unit, value)
        except ValueInvalidError as problem:
            raise FieldInvalidError("value", str(problem)) from None

    def stage(self, batch: list[ReadRating]) -> None:
        if not self.protocol.files.ratings_name_items:
            batch = self._with_items(batch)
        found = self.target.items.find(rating.item for rating in batch)
        placed = [(rating, *self._place(rating, found)) for rating in batch if self._exists(rating, found)]
        self._check_shown([rating for rating, *_ in placed])
        if self.problems.found:
            return
        self.raters.flush()
        rows = [
            row
            for rating, item, output, other in placed
            if rating.answer is None and (row := self._row(rating, item, output, other))
        ]
        compared = self._compare_machines([one for one in placed if one[0].answer is not None])
        if self.problems.found:
            return
        ids = mixed_ratings(self.study, self.staging.next_ids(Rating, len(rows)) if rows else [], rows)
        self.staging.insert(Rating, COLUMNS, [(pk, *row) for pk, row in zip(ids, rows, strict=True)])
        self.added += len(rows) + self.machines.insert(compared)

    def _compare_machines(self, placed: list[tuple[ReadRating, int, int | None, int | None]]) -> list[Comparison]:
        """Compare machines' ratings with the stored ones. Notes a problem for each that cannot be stored."""
        compared = self.machines.compare(
            [
                self._machine_rating(read, self.raters.known[read.rater][0], item, output, other)
                for read, item, output, other in placed
            ]
        )
        for (read, *_), one in zip(placed, compared, strict=True):
            if one.refusal:
                self.problems.add(read.line, "value", one.refusal)
        return compared

    def _with_items(self, batch: list[ReadRating]) -> list[ReadRating]:
        """Return the ratings whose units exist, each with its item."""
        items = self.protocol.files.find_items(self.study, self.staging.read, {rating.unit for rating in batch})
        for rating in batch:
            rating.item = items.get(rating.unit, "")
            if not rating.item:
                named = " ".join(f"{key} {value}" for key, value in self.protocol.unit_line(rating.unit).items())
                self.problems.add(rating.line, "", f"{quoted(named)} does not exist in this study")
        return [rating for rating in batch if rating.item]

    def _exists(self, rating: ReadRating, found: Mapping[str, tuple[int, dict[str, int]]]) -> bool:
        """Return whether the item and outputs of a line exist. Notes a problem if not."""
        item = found.get(rating.item)
        if item is None:
            self.problems.add(rating.line, "item", f"{quoted(rating.item)} is not an item of this study")
            return False
        named = [key for key in (rating.unit.output, rating.unit.other) if key is not None]
        for field, keys in (("output", named), ("shown", rating.said[1] or [])):
            for key in keys:
                if not isinstance(key, str) or key not in item[1]:
                    reason = f"{quoted(key)} is not an output of item {quoted(rating.item)}"
                    self.problems.add(rating.line, field, reason)
                    return False
        if self.target.codes.are_used and self._names_others(rating):
            self.problems.add(rating.line, "distribution", OTHER_SHARES)
            return False
        return True

    def _names_others(self, rating: ReadRating) -> bool:
        """Whether a distribution over two outputs, which a blinded study would show by codes, names something else."""
        given, level = rating.said[6], rating.answer.level if rating.answer else self.types[rating.question.type].level
        named = (rating.unit.output, rating.unit.other, TIE)
        return level == CHOICE and isinstance(given, Mapping) and not set(given) <= set(named)

    def _check_shown(self, batch: list[ReadRating]) -> None:
        """Check that values fit their outputs; texts are read only for questions that need them."""
        about = [rating for rating in batch if rating.answer is not None or self._needs(rating, "needs_outputs")]
        reading = {rating.item for rating in about if self._needs(rating, "needs_texts")}
        sheets = self.target.items.sheets({rating.item for rating in about} - reading, texts=False)
        sheets |= self.target.items.sheets(reading, texts=True)
        for rating in about:
            kind, spec, sheet = self.types[rating.question.type], rating.question.spec, sheets[rating.item]
            try:
                if rating.answer is not None:
                    check_answer_shown(rating.answer, sheet, rating.said[1], self.study.options)
                    continue
                named = [key for key in (rating.unit.output, rating.unit.other) if key is not None]
                kind.check_shown(rating.value, spec, sheet.only(named) if named else sheet)
                kind.check_options(rating.value, spec, self.study.options)
            except ValueInvalidError as problem:
                self.problems.add(rating.line, "value", str(problem))

    def _needs(self, rating: ReadRating, what: str) -> bool:
        """Return whether the check of a value needs the outputs or their texts."""
        own = rating.answer is None or rating.answer.level == self.types[rating.question.type].level
        return own and bool(getattr(self.types[rating.question.type], what))

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

    def _named_said(self, rating: ReadRating) -> tuple[Any, ...]:
        """What a line says, with systems by their own names."""
        explanation, shown, *rest, distribution, metadata, third = rating.said
        level = rating.answer.level if rating.answer else self.types[rating.question.type].level
        if level == CHOICE and isinstance(distribution, Mapping):
            distribution = self.target.codes.value("rank", distribution)
        return (explanation, self.target.codes.all_named(shown), *rest, distribution, metadata, third)

    def _machine_rating(
        self, read: ReadRating, rater: int, item: int, output: int | None, other: int | None
    ) -> MachineRating:
        explanation, shown, seconds, version, run, replicate, distribution, metadata, _ = self._named_said(read)
        missing, outcome, digest = read.machine_said
        if read.answer is None:
            raise ValueError("a line of a person")
        return MachineRating(
            answer=self._named_answer(read.answer),
            rater=rater,
            item=item,
            output=output,
            other=other,
            run=run,
            replicate=replicate,
            shown=shown,
            explanation=explanation,
            seconds=seconds,
            submitted_at=read.submitted_at,
            guidelines_version=version,
            distribution=distribution,
            missing=missing,
            outcome=outcome,
            prompt_digest=digest,
            metadata=metadata,
        )

    def _named_answer(self, answer: MachineAnswer) -> MachineAnswer:
        """A machine's answer with systems by their own names."""
        codes, unit = self.target.codes, answer.unit
        named = Unit(codes.named(unit.output), codes.named(unit.other), codes.named(unit.variant))
        return replace(answer, unit=named, value=codes.value(answer.level, answer.value))

    def _row(self, rating: ReadRating, item: int, output: int | None, other: int | None) -> tuple[Any, ...] | None:
        """Return the row of a line, or None if it exists already or contradicts an existing one."""
        question, said = rating.question, self._named_said(rating)
        value = self.target.codes.value(self.types[question.type].level, rating.value)
        rater = self.raters.known[rating.rater][0]
        variant = self.target.codes.named(rating.unit.variant)
        name = identity(question.pk, rater, item, output, other, rating.submitted_at, variant)
        ordinal, exists = self.known.match(name, content((value, *said)))
        if exists is not None:
            if not exists:
                reason = (
                    f"{quoted(rating.rater)} already has a different answer to this question about this unit; a later "
                    "answer needs its own submitted_at"
                )
                self.problems.add(rating.line, "value", reason)
            return None
        explanation, shown, seconds, version, run, replicate, distribution, metadata, third = said
        kind = self.types[question.type]
        return (
            self.study.pk, question.pk, rater, item, output, other, variant, 1, True, kind.level, kind.number(value),
            canonical_json(value), False, version, run, replicate, ordinal, explanation, _json(shown), seconds,
            packed_time(rating.submitted_at), _json(distribution), "", "", _json(metadata), third,
        )  # fmt: skip


def _machine_said(body: Mapping[str, Any]) -> tuple[float | None, str, str]:
    """Return what only lines of machines say: the missing mass, the outcome and the prompt's digest."""
    outcome = line_fields.text(body, "outcome") or ""
    if outcome and outcome not in OUTCOMES:
        raise FieldInvalidError("outcome", f"must be one of {', '.join(sorted(OUTCOMES))}, not {quoted(outcome)}")
    digest = line_fields.text(body, "prompt_digest", LONGEST_DIGEST) or ""
    return line_fields.share(body, "missing"), outcome, digest


def _json(value: Any) -> str | None:
    return None if value is None else canonical_json(value)


def _from_cell(cell: Cell, question: Question, kind: QuestionType, unit: Unit) -> Any:
    """Return a machine's value from a CSV cell: an output or text that the question takes, otherwise JSON."""
    text = str(cell)
    if unit.other is not None and text in (unit.output, unit.other, TIE):
        return text
    if kind.level in (TEXT, LABEL):
        try:
            return kind.check(text, question.spec)
        except ValueInvalidError:
            pass
    try:
        return check_json(cell_json(cell))
    except (JSONInvalidError, TextRefusedError):
        return text or None


def checked_value(value: Any, question: Question, kind: QuestionType) -> Any:
    """Return the value of a person's line. Raises FieldInvalidError if it does not fit its question.

    A CSV cell is text if the question accepts it as text, otherwise JSON.
    """
    if isinstance(value, Cell):
        try:
            return kind.check(str(value), question.spec)
        except ValueInvalidError as problem:
            try:
                value = check_json(cell_json(value))
            except (JSONInvalidError, TextRefusedError):
                raise FieldInvalidError("value", str(problem)) from None
    if value is None:
        raise FieldInvalidError("value", "is missing")
    try:
        return kind.check(value, question.spec)
    except ValueInvalidError as problem:
        raise FieldInvalidError("value", str(problem)) from None
