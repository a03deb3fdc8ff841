"""Imports researchers' final answers from the lines of a file.

One that exists already is skipped; one that contradicts it is refused. Reviewers are names; unknown ones are added.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from annotation.models import Adjudication, Question, Rating, Reviewer
from annotation.protocols import Unit, read_pair
from annotation.questions import ValueInvalidError
from annotation.review.adjudicating import is_asked_about, ordered_unit, unit_digest
from annotation.studies.secret_seeds import mixed
from config.bulk_insert import packed_time
from config.model_fields import canonical_json
from config.text_validation import TextRefusedError, check_id
from files.import_problems import FieldInvalidError, FileProblems, quoted
from files.reading import line_fields
from files.reading.line_import import LineImport
from files.reading.rating_import import checked_value
from files.reading.target import ImportTarget

KEYS = frozenset({
    "item", "output", "outputs", "variant", "question", "number", "value", "reason", "reviewer", "at",
})  # fmt: skip
LONGEST_VARIANT = 240
ABOUT = {
    "output": "is wrong or missing: this question is asked about each output, so name one",
    "pair": "is wrong or missing: this question is asked about pairs, so name the two outputs",
    "task": "must be left out: this question is asked once per task",
}
UNKNOWN_VARIANT = "nobody has answered this question about {} of this item"
LOOKUP = 500
COLUMNS = (
    "id", "question_id", "item_id", "output_id", "other_output_id", "variant", "unit", "number", "is_current", "value",
    "reason", "by_id", "at",
)  # fmt: skip


@dataclass(slots=True)
class ReadAdjudication:
    """A line, checked by itself. `said` is the value as JSON, the reason, the reviewer and the time."""

    line: int
    item: str
    question: Question
    unit: Unit
    number: int
    value: Any
    reviewer: str
    said: tuple[Any, ...]


class AdjudicationImport(LineImport[ReadAdjudication]):
    """Imports the final answers of one file."""

    batch_size = 400

    def __init__(self, target: ImportTarget, problems: FileProblems) -> None:
        super().__init__(target, problems)
        self.reviewers = dict(
            self.staging.read(Reviewer.objects.filter(study=self.study), "name", "pk")
        )  # those of the same import's reviews too
        self._variants: dict[tuple[int, int, str | None], tuple[int, str]] = {}
        """Items, questions and variants that lines name, with the first such line and what it calls the variant."""

    def read(self, line: int, body: Mapping[str, Any]) -> ReadAdjudication:
        line_fields.only(body, KEYS)
        question = self.target.question_of.get(body["question"]) if isinstance(body.get("question"), str) else None
        if question is None:
            raise FieldInvalidError("question", "must be a question of this study")
        kind, value = self.target.types[question.type], body.get("value")
        if kind.level == "span":
            raise FieldInvalidError("question", "asks for spans, which have verdicts instead of final answers")
        if value is not None:
            value = checked_value(value, question, kind)
        number, at = line_fields.whole(body, "number", 1), line_fields.moment(body, "at")
        reason = line_fields.text(body, "reason")
        for field, given in (("number", number), ("reason", reason or None), ("at", at)):
            if given is None:
                raise FieldInvalidError(field, "is missing")
        reviewer = _name(body, "reviewer")
        said = (None if value is None else canonical_json(value), reason, reviewer, at)
        unit = _unit(body)
        if not is_asked_about(self.study, question, unit):
            about = self.protocol.asks_about(question)
            raise FieldInvalidError("outputs" if about == "pair" else "output", ABOUT[about])
        return ReadAdjudication(line, _name(body, "item"), question, unit, number or 1, value, reviewer, said)

    def stage(self, batch: list[ReadAdjudication]) -> None:
        found = self.target.items.find(one.item for one in batch)
        sheets = self.target.items.sheets({one.item for one in batch}, texts=False)
        placed = []
        for one in batch:
            item, outputs = found.get(one.item, (0, {}))
            missing = [key for key in (one.unit.output, one.unit.other) if key is not None and key not in outputs]
            if not item:
                self.problems.add(one.line, "item", f"{quoted(one.item)} is not an item of this study")
            elif missing:
                self.problems.add(one.line, "output", f"{quoted(missing[0])} is not an output of this item")
            elif self._fits(one, sheets[one.item]):
                if one.unit.variant:
                    variant = self.target.codes.variant(one.unit.variant)
                    self._variants.setdefault((item, one.question.pk, variant), (one.line, one.unit.variant))
                placed.append((item, *self._named(one, outputs)))
        if not self.problems.found:
            self._stage_reviewers(batch)
            self._stage_answers(placed)

    def finish(self) -> None:
        if not self.target.has_tables_to_settle:
            self._check_variants()

    def settle(self) -> None:
        """Check variants once all tables have added their answers. Raises ImportRefusedError."""
        self._check_variants()
        self.problems.refuse_if_any()

    def _check_variants(self) -> None:
        """Note lines about a variant of an item to which nobody has answered the question."""
        pairs = list(self._variants)
        for start in range(0, len(pairs), LOOKUP):
            some = pairs[start : start + LOOKUP]
            rows = Rating.objects.filter(
                item__in={pair[0] for pair in some}, variant__in={pair[2] or "" for pair in some}
            )
            for known in self.staging.read(rows, "item", "question", "variant"):
                self._variants.pop(known, None)
        for line, variant in self._variants.values():
            self.problems.add(line, "variant", UNKNOWN_VARIANT.format(quoted(variant)))

    def _fits(self, one: ReadAdjudication, sheet: Any) -> bool:
        if one.value is None:
            return True
        shown = sheet.only([one.unit.output, one.unit.other]) if one.unit.other is not None else sheet
        try:
            self.target.types[one.question.type].check_shown(one.value, one.question.spec, shown)
        except ValueInvalidError as problem:
            self.problems.add(one.line, "value", str(problem))
            return False
        return True

    def _named(self, one: ReadAdjudication, outputs: dict[str, int]) -> tuple[dict[str, int], ReadAdjudication]:
        """The item's outputs and a final answer with systems by their own names; a pair in the item's order."""
        codes, unit = self.target.codes, ordered_unit(one.unit, list(outputs))
        value = codes.value(self.target.types[one.question.type].level, one.value)
        said = (None if value is None else canonical_json(value), *one.said[1:])
        named = Unit(codes.named(unit.output), codes.named(unit.other), codes.named(unit.variant))
        return {codes.named(key): pk for key, pk in outputs.items()}, replace(one, unit=named, value=value, said=said)

    def _stage_reviewers(self, batch: list[ReadAdjudication]) -> None:
        new = sorted({one.reviewer for one in batch} - set(self.reviewers))
        named = list(zip(self.staging.next_ids(Reviewer, len(new)), new, strict=True))
        self.staging.insert(Reviewer, ("id", "study_id", "name"), [(pk, self.study.pk, name) for pk, name in named])
        self.reviewers.update({name: pk for pk, name in named})

    def _stage_answers(self, placed: list[tuple[int, dict[str, int], ReadAdjudication]]) -> None:
        names = {pk: name for name, pk in self.reviewers.items()}
        known: dict[tuple[Any, ...], dict[int, tuple[int, Any]]] = defaultdict(dict)
        rows = Adjudication.objects.filter(item__in=sorted({item for item, _, _ in placed}))
        columns = ("pk", "item", "question", "unit", "number", "value", "reason", "by", "at")
        for pk, item, question, unit, number, value, reason, by, at in self.staging.read(rows, *columns):
            stored = None if value is None else canonical_json(value)
            known[item, question, unit][number] = (pk, (stored, reason, names[by], at))
        new = []
        for item, outputs, one in placed:
            place = (item, one.question.pk, unit_digest(one.unit))
            same = known[place].get(one.number)
            if same is None:
                known[place][one.number] = (0, one.said)
                new.append((place, outputs, one))
            elif same[1] != one.said:
                self.problems.add(one.line, "number", f"final answer {one.number} exists and is different")
        if self.problems.found:
            return
        self.added += len(new)
        newest = {place: max(known[place]) for place, _, _ in new}
        old = [
            pk for place, last in newest.items() for number, (pk, _) in known[place].items() if pk and number != last
        ]
        self.staging.change(Adjudication, "pk", old, is_current=False)
        about = [(place[0], place[1:]) for place, _, _ in new]
        ids = mixed(self.study, "adjudications", self.staging.next_ids(Adjudication, len(new)), about)
        self.staging.insert(
            Adjudication, COLUMNS,
            [
                (
                    pk, place[1], place[0], outputs.get(one.unit.output or ""), outputs.get(one.unit.other or ""),
                    one.unit.variant, place[2], one.number, one.number == newest[place], one.said[0], one.said[1],
                    self.reviewers[one.reviewer], packed_time(one.said[3]),
                )
                for pk, (place, outputs, one) in zip(ids, new, strict=True)
            ],
        )  # fmt: skip


def _unit(body: Mapping[str, Any]) -> Unit:
    variant = line_fields.text(body, "variant", LONGEST_VARIANT) or ""
    if body.get("outputs") is not None:
        if body.get("output") is not None:
            raise FieldInvalidError("output", "must be left out, because the line has outputs")
        pair = read_pair(body)
        return Unit(pair.output, pair.other, variant)
    return Unit(line_fields.text(body, "output"), None, variant)


def _name(body: Mapping[str, Any], field: str) -> str:
    try:
        return check_id(body.get(field), field)
    except TextRefusedError as problem:
        raise FieldInvalidError(field, problem.reason) from None
