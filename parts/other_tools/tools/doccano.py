"""doccano: JSONL of text classification, sequence labelling and sequence to sequence, one file per annotator.

A project with shared annotations has one file, in which the labels of all people are mixed without their names.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from files.import_problems import FieldInvalidError
from parts.other_tools.conversion_choices import RATER, SEVERAL, AskedChoice
from parts.other_tools.findings import AnswerKind, Findings, FoundAnswer, FoundRecord
from parts.other_tools.other_tool import OtherTool
from parts.other_tools.tool_files import Body, ToolFile, ToolRecord, identifier, needed, optional

TEXTS = ("text", "data")
LABELS = ("label", "labels", "cats", "entities", "annotations")
COMMENTS = ("Comments", "comments")
NO_COUNTERPART = ("relations", "bbox", "segmentation")
BY_USER = "annotations"
SHARED = "all"
"""What the tool calls the file of a project with shared annotations."""
APPROVER = "annotation_approver"
MIXED = (
    "has labels of several people without their names. Say who gave them, or let doccano write a file per person: turn "
    'off "Share annotations" in the project\'s settings and export again'
)


class Doccano(OtherTool):
    key = "doccano"
    label = "doccano (JSONL)"

    def recognises(self, file: ToolFile) -> bool:
        first = file.first
        return any(isinstance(first.get(key), str) for key in TEXTS) and any(
            isinstance(first.get(key), list) for key in LABELS
        )

    def read(self, file: ToolFile, found: Findings) -> None:
        rater = found.told.raters.get(file.name)
        mixed = next((record for record in file.records if _is_mixed(record.body)), None)
        if rater is None and (mixed is not None or file.path.stem == SHARED) and _needs_rater(file):
            record = mixed or file.records[0]
            place = ".".join(filter(None, (record.name, "label")))
            found.ask(AskedChoice(RATER, file.name, (), MIXED, file.name, record.line, place, allows_several=True))
            return
        if rater is not None and rater != SEVERAL and mixed is not None:
            reason = f"has a label twice, which one person cannot give: use {SEVERAL} instead of a name"
            file.found.add(mixed.line, ".".join(filter(None, (mixed.name, "label"))), reason)
            return
        for record in file.records:
            with file.problems_of(record):
                _Example(file, record, found, rater or file.path.stem).read()


def _lists(body: Body) -> Iterator[list[Any]]:
    """Yield the lists of labels, spans or texts that do not name a user."""
    for key in LABELS:
        if isinstance(body.get(key), list):
            yield [one for one in body[key] if not (isinstance(one, dict) and one.get("user") is not None)]


def _is_mixed(body: Body) -> bool:
    """Whether a record has a label twice, so that more than one person must have given it."""
    return any(len(set(map(str, listed))) < len(listed) for listed in _lists(body))


def _needs_rater(file: ToolFile) -> bool:
    """Whether a record with labels does not say who gave them."""
    return any(any(_lists(record.body)) and record.body.get(APPROVER) is None for record in file.records)


class _Example:
    """A line of an export."""

    def __init__(self, file: ToolFile, record: ToolRecord, found: Findings, rater: str) -> None:
        self.file, self.record, self.found, self.rater = file, record, found, rater
        self.nameless: Counter[str] = Counter()
        self.marks: dict[tuple[str, str], list[Any]] = {}
        body = record.body
        if body.get("filename") is not None and not any(body.get(key) for key in TEXTS):
            raise FieldInvalidError("filename", "is a picture or a sound: only texts have a counterpart")
        self.text = next((body[key] for key in TEXTS if isinstance(body.get(key), str)), None)
        # Without an id, the place in the file is the same in the files of all annotators.
        self.id = identifier(body.get("id", f"line-{record.line}" if record.line else record.name), "id")

    def read(self) -> None:
        if self.text is None:
            raise FieldInvalidError("text", "is missing")
        body = self.record.body
        known = {*TEXTS, *LABELS, *COMMENTS, *NO_COUNTERPART, "id", "meta", APPROVER, "filename"}
        metadata = {key: value for key, value in body.items() if key not in known and value is not None}
        if isinstance(body.get("meta"), dict):
            metadata |= body["meta"]
        self.found.add_record(FoundRecord(self.id, {"text": self.text}, metadata), "text")
        # An export of single annotators has a file for each, named for them; a shared one may name who approved it.
        rater = body.get(APPROVER) or self.rater
        for key in LABELS:
            for place, one in enumerate(optional(body, key, list, "a list") or ()):
                if key == BY_USER or isinstance(one, dict):
                    self._object(one, key, f"{key}.{place}", str(rater))
            listed = [one for one in body.get(key) or () if not isinstance(one, dict)]
            self._list(listed, key, str(rater))
        for key in COMMENTS:
            for place, said in enumerate(optional(body, key, list, "a list") or ()):
                if not isinstance(said, str):
                    said = needed(said if isinstance(said, dict) else {}, "comment", str, "a text", f"{key}.{place}")
                self._add("comments", AnswerKind.TEXT, said, f"{key}.{place}", str(rater))
        for key in NO_COUNTERPART:
            if body.get(key):
                self.found.left_out[key] += len(body[key]) if isinstance(body[key], list) else 1
        self._flush()

    def _list(self, listed: list[Any], key: str, rater: str) -> None:
        """Labels as texts, spans as [start, end, label]."""
        words = [one for one in listed if isinstance(one, str)]
        for place, one in enumerate(listed):
            if not isinstance(one, str):
                self._mark(key, rater, _triple(one, f"{key}.{place}"))
        if words and rater == SEVERAL:
            for word in words:
                self._add(key, AnswerKind.WORDS, [word], key, self._nameless(key))
        elif words:
            self._add(key, AnswerKind.WORDS, list(dict.fromkeys(words)), key, rater)

    def _nameless(self, key: str) -> str:
        """A person whose name is unknown: another one for each label of the record."""
        self.nameless[key] += 1
        return f"unnamed-{self.nameless[key]}"

    def _object(self, one: Any, key: str, place: str, rater: str) -> None:
        """A label with its user, or a span with its offsets."""
        if not isinstance(one, dict):
            raise FieldInvalidError(place, "must be an object")
        by = f"user-{identifier(one['user'], f'{place}.user')}" if one.get("user") is not None else rater
        label = one.get("label")
        name = None if label is None else identifier(label, f"{place}.label")
        if "start_offset" in one:
            start = needed(one, "start_offset", int, "a whole number", place)
            self._mark(key, by, (start, needed(one, "end_offset", int, "a whole number", place), name, None))
        elif isinstance(one.get("text"), str):
            self._add(key, AnswerKind.TEXT, one["text"], place, by)
        elif name is not None:
            self._add(key, AnswerKind.WORDS, [name], place, by)
        else:
            raise FieldInvalidError(place, "has neither a label nor a text")

    def _mark(self, key: str, rater: str, span: Any) -> None:
        rater = self._nameless(key) if rater == SEVERAL else rater
        self.marks.setdefault((key, rater), []).append(span)

    def _flush(self) -> None:
        for (key, rater), spans in self.marks.items():
            self._add("spans" if key in ("label", "labels") else key, AnswerKind.SPANS, spans, key, rater)

    def _add(self, question: str, kind: AnswerKind, value: Any, place: str, rater: str) -> None:
        name = ".".join(filter(None, (self.record.name, place)))
        self.found.answers.append(
            FoundAnswer(self.file.name, self.record.line, name, self.id, rater, question, kind, value)
        )


def _triple(one: Any, place: str) -> tuple[int, int, str, None]:
    if (
        not isinstance(one, list) or len(one) != 3 or type(one[0]) is not int or type(one[1]) is not int
        or not isinstance(one[2], str)
    ):  # fmt: skip
        raise FieldInvalidError(place, "must be a label, or [start, end, label]")
    return one[0], one[1], one[2], None


TOOL = Doccano()
