"""Files of other tools as records: a JSON array, one JSON object, or JSONL."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotation.importing.import_problems import FieldInvalidError, FileProblems, refuse
from annotation.importing.line_reading import BOM, JSONInvalidError, SourceFile, open_regular, parse_json
from config.text_validation import TextRefusedError, check_json

LINES = ".jsonl"
Body = dict[str, Any]


@dataclass(frozen=True)
class ToolRecord:
    """A record of a file: its line in JSONL (0 in an array), how a problem names it, and its content."""

    line: int
    name: str
    body: Body


@dataclass
class ToolFile:
    """A file with its records. `found` are its problems."""

    path: Path
    records: list[ToolRecord]
    is_array: bool
    found: FileProblems = field(repr=False)

    @property
    def name(self) -> str:
        """What problems call the file."""
        return self.found.file

    @property
    def first(self) -> Body:
        """The first record, or an empty one."""
        return self.records[0].body if self.records else {}

    @contextmanager
    def problems_of(self, record: ToolRecord) -> Iterator[None]:
        """Report what is refused inside as a problem of the record."""
        try:
            yield
        except FieldInvalidError as problem:
            place = ".".join(part for part in (record.name, problem.field) if part)
            self.found.add(record.line, place, problem.reason)


def read_tool_file(path: Path) -> ToolFile:
    """Return the file's records; problems of single ones are noted. Raises ImportRefusedError if it is not JSON."""
    with open_regular(path) as file:
        raw = file.read().removeprefix(BOM)
    problems = FileProblems(path.name)
    begin = raw.lstrip()[:1]
    if begin == b"{":
        whole = None if path.suffix == LINES else _whole(raw)
        if whole is None:
            lines = SourceFile(path, problems).objects()
            return ToolFile(path, [ToolRecord(number, "", body) for number, body in lines], False, problems)
        return ToolFile(path, [ToolRecord(0, "", _checked(path, whole))], True, problems)
    if begin != b"[":
        raise refuse(path.name, "is neither JSON nor JSONL")
    try:
        listed = parse_json(raw.decode())
    except UnicodeDecodeError as problem:
        raise refuse(path.name, f"is not UTF-8 (byte {problem.start + 1})") from None
    except JSONInvalidError as problem:
        raise refuse(path.name, str(problem)) from None
    return ToolFile(path, list(_listed(listed, problems)), True, problems)


def _whole(raw: bytes) -> Any:
    """The object that the whole file is, or None if it has an object per line."""
    try:
        return parse_json(raw.decode())
    except (UnicodeDecodeError, JSONInvalidError):
        return None


def _checked(path: Path, body: Body) -> Body:
    try:
        check_json(body)
    except TextRefusedError as problem:
        raise refuse(path.name, problem.reason, field=problem.place) from None
    return body


def _listed(listed: list[Any], problems: FileProblems) -> Iterator[ToolRecord]:
    for number, body in enumerate(listed, 1):
        name = f"record {number}"
        if not isinstance(body, dict):
            problems.add(0, name, "is not a JSON object")
            continue
        try:
            check_json(body)
        except TextRefusedError as problem:
            problems.add(0, f"{name}.{problem.place}", problem.reason)
        else:
            yield ToolRecord(0, name, body)


def needed(body: Mapping[str, Any], key: str, kind: type | tuple[type, ...], what: str, place: str = "") -> Any:
    """Return the value of a key. Raises FieldInvalidError if it is missing or not of the type."""
    value, field_name = body.get(key), f"{place}.{key}" if place else key
    if value is None:
        raise FieldInvalidError(field_name, "is missing")
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise FieldInvalidError(field_name, f"must be {what}")
    return value


def optional(body: Mapping[str, Any], key: str, kind: type | tuple[type, ...], what: str, place: str = "") -> Any:
    """Return the value of a key that may be absent or null. Raises FieldInvalidError."""
    return None if body.get(key) is None else needed(body, key, kind, what, place)


def identifier(value: Any, place: str) -> str:
    """Return an id as a text: tools give whole numbers or texts. Raises FieldInvalidError."""
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        reason = "is missing" if value is None or value == "" else "must be a text or a whole number"
        raise FieldInvalidError(place, reason)
    return str(value)
