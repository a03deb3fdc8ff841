"""Imports judged examples for judges from the lines of a file. An example that exists already is skipped."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Max

from annotation.answers import Unit
from annotation.machine_shapes import checked_answer
from annotation.models import WrittenExample
from annotation.protocols import UnitInvalidError
from annotation.questions import ValueInvalidError
from config.model_fields import canonical_json
from config.text_validation import TextRefusedError, check_id
from files.import_problems import FieldInvalidError, FileProblems, quoted
from files.reading import line_fields
from files.reading.item_import import digest_of
from files.reading.line_import import LineImport
from files.reading.target import ImportTarget

LINE_KEYS = frozenset({"item", "document", "instruction", "output", "outputs", "values", "rationale"})
COLUMNS = (
    "id", "study_id", "position", "edition", "item_key", "document", "instruction", "outputs", "values", "rationale",
    "digest",
)  # fmt: skip
OFF_SCALE = "is off the scale of its question"
OTHER_OUTPUTS = "must name the outputs of this example, and no others"


@dataclass(slots=True)
class ReadExample:
    """A checked example: its columns from the item to the rationale, and the digest of them."""

    line: int
    columns: tuple[str, ...]
    digest: str


class ExampleImport(LineImport[ReadExample]):
    """Imports the examples of one file, in its order, after those that the study has, or as a new edition of them."""

    batch_size = 1000

    def __init__(self, target: ImportTarget, problems: FileProblems) -> None:
        super().__init__(target, problems)
        there = WrittenExample.objects.filter(study=self.study)
        if self.staging.replaces_items:
            there = there.none()
        ends = there.aggregate(place=Max("position"), edition=Max("edition"))
        self._next = 0 if ends["place"] is None else ends["place"] + 1
        self._edition, self._known = ends["edition"] or 0, set[str]()
        if target.replaces_examples:
            self._edition += self._next > 0
        elif not self.staging.replaces_items:
            self._known = set(WrittenExample.newest(self.study).values_list("digest", flat=True))
        self._lines: dict[str, int] = {}

    def read(self, line: int, body: Mapping[str, Any]) -> ReadExample:
        line_fields.only(body, LINE_KEYS)
        outputs = _outputs(body)
        columns = (
            _item(body.get("item")), line_fields.text(body, "document") or "",
            line_fields.text(body, "instruction") or "", canonical_json(outputs),
            canonical_json(self._values(body, outputs)), line_fields.text(body, "rationale") or "",
        )  # fmt: skip
        digest = digest_of(columns)
        first = self._lines.setdefault(digest, line)
        if first != line:
            raise FieldInvalidError("", f"repeats the example in line {first}")
        return ReadExample(line, columns, digest)

    def _values(self, body: Mapping[str, Any], outputs: Any) -> dict[str, Any]:
        """Return the values, each a possible answer of a machine about these outputs."""
        values = line_fields.mapping(body, "values")
        if not values:
            raise FieldInvalidError("values", "must give a value for at least one question")
        for key, value in values.items():
            place, question = f"values.{key}", self.target.question_of.get(key)
            if question is None:
                raise FieldInvalidError(place, "is not a question of the study")
            keys = [output["id"] for output in outputs] if isinstance(outputs, list) else ["output"]
            ranks = isinstance(outputs, list) and (len(keys) != 2 or isinstance(value, dict))
            unit = Unit(None, None) if ranks else Unit(keys[0], keys[1] if len(keys) > 1 else None)
            try:
                answer = checked_answer(question, self.protocol, unit, value)
            except ValueInvalidError as problem:
                raise FieldInvalidError(place, str(problem)) from None
            except UnitInvalidError as problem:
                raise FieldInvalidError(place, f"{problem.field} {problem.reason}") from None
            if answer.off_scale:
                raise FieldInvalidError(place, OFF_SCALE)
            if ranks and (not isinstance(value, dict) or set(value) != set(keys)):
                raise FieldInvalidError(place, OTHER_OUTPUTS)
        return values

    def stage(self, batch: list[ReadExample]) -> None:
        new = [example for example in batch if example.digest not in self._known]
        if not new or self.problems.found:
            return
        ids = self.staging.next_ids(WrittenExample, len(new))
        places = range(self._next, self._next + len(new))
        self.staging.insert(WrittenExample, COLUMNS, [
            (pk, self.study.pk, place, self._edition, *example.columns, example.digest)
            for pk, place, example in zip(ids, places, new, strict=True)
        ])  # fmt: skip
        self._next += len(new)
        self.added += len(new)


def _item(value: Any) -> str:
    if value is None:
        return ""
    try:
        return check_id(value, "item")
    except TextRefusedError as problem:
        raise FieldInvalidError(problem.place, problem.reason) from None


def _outputs(body: Mapping[str, Any]) -> Any:
    """Return the text of the one output, or a list of two or more {id, text}."""
    given = body.get("outputs")
    if (body.get("output") is None) == (given is None):
        raise FieldInvalidError("output", "must be given, or several as outputs, and not both")
    if given is None:
        return line_fields.text(body, "output")
    if not isinstance(given, list) or len(given) < 2:
        raise FieldInvalidError("outputs", "must be a list of at least two outputs")
    keys = set()
    for number, output in enumerate(given):
        place = f"outputs.{number}"
        if not isinstance(output, dict) or set(output) != {"id", "text"} or not isinstance(output["text"], str):
            raise FieldInvalidError(place, "must be an object with id and text")
        try:
            key = check_id(output["id"], f"{place}.id")
        except TextRefusedError as problem:
            raise FieldInvalidError(problem.place, problem.reason) from None
        if key in keys:
            raise FieldInvalidError(f"{place}.id", f"{quoted(key)} appears twice in this example")
        keys.add(key)
    return given
