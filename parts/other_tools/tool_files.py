"""Files of other tools as records (a JSON array, one JSON object, JSONL, CSV), or as settings (XML, YAML)."""

import csv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from django.conf import settings

from config.outside_requests import outside_of_requests
from config.text_validation import TextRefusedError, check_json
from config.yaml_reading import YamlInvalidError, parse_yaml
from files.import_problems import FieldInvalidError, FileProblems, ImportRefusedError, refuse
from files.line_reading import BOM, JSONInvalidError, SourceFile, open_regular, parse_json

LINES, XML = ".jsonl", ".xml"
TABLES = {".csv": ",;\t", ".tsv": "\t"}
"""The delimiters that a table may have."""
YAML = (".yaml", ".yml")
READ = frozenset({LINES, ".json", XML, *TABLES, *YAML})
"""The ends of the names of files that are read."""
LARGEST_XML = 1_000_000
NO_FOLDER = "-"
"""The name of a folder that says nothing, because the file was sent without one."""
Body = dict[str, Any]


@dataclass(frozen=True)
class ToolRecord:
    """A record of a file: its line in JSONL (0 in an array), how a problem names it, and its content."""

    line: int
    name: str
    body: Body


@dataclass
class ToolFile:
    """A file with its records, or with its settings: the root of XML or the value of YAML. `found` are its problems."""

    path: Path
    records: list[ToolRecord]
    found: FileProblems = field(repr=False)
    settings: Any = None

    @property
    def name(self) -> str:
        """What problems call the file."""
        return self.found.file

    @property
    def folder(self) -> str | None:
        """The folder that the file was in, if it is known."""
        name = self.path.absolute().parent.name
        return None if name == NO_FOLDER else name

    @property
    def is_table(self) -> bool:
        return self.path.suffix.lower() in TABLES

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


@outside_of_requests
def read_tool_file(path: Path) -> ToolFile:
    """Return the file's records; problems of single ones are noted. Raises ImportRefusedError if it cannot be read."""
    problems, suffix = FileProblems(path.name), path.suffix.lower()
    if suffix in TABLES:
        return ToolFile(path, list(_rows(path, problems)), problems)
    with open_regular(path) as file:
        raw = file.read().removeprefix(BOM)
    if suffix == XML:
        return ToolFile(path, [], problems, xml_of(path, _text(path, raw)))
    if suffix in YAML:
        return ToolFile(path, [], problems, _yaml(path, raw))
    begin = raw.lstrip()[:1]
    if begin == b"{":
        whole = None if suffix == LINES else _whole(raw)
        if whole is None:
            lines = SourceFile(path, problems).objects()
            return ToolFile(path, [ToolRecord(number, "", body) for number, body in lines], problems)
        return ToolFile(path, [ToolRecord(0, "", _checked(path, whole))], problems)
    if begin != b"[":
        raise refuse(path.name, "is neither JSON nor JSONL")
    try:
        listed = parse_json(_text(path, raw))
    except JSONInvalidError as problem:
        raise refuse(path.name, str(problem)) from None
    return ToolFile(path, list(_listed(listed, problems)), problems)


def begin_of_tool_file(path: Path) -> ToolFile | None:
    """Return a file of lines or a table with its first record alone; None if that cannot be read."""
    problems = FileProblems(path.name)
    try:
        if path.suffix.lower() in TABLES:
            return ToolFile(path, list(islice(_rows(path, problems), 1)), problems)
        first = next(SourceFile(path, problems).objects(), None)
    except ImportRefusedError:
        return None
    if first is None or problems.found:
        return None
    return ToolFile(path, [ToolRecord(first[0], "", first[1])], problems)


def _text(path: Path, raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as problem:
        raise refuse(path.name, f"is not UTF-8 (byte {problem.start + 1})") from None


@outside_of_requests
def xml_of(path: Path, text: str) -> Element:
    """Return the root of XML; a document type, which might name other files or grow without limit, is refused."""
    if len(text) > LARGEST_XML:
        raise refuse(path.name, f"is larger than {LARGEST_XML:,} characters, the most for a configuration")
    try:
        root: Element = fromstring(text, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError) as problem:
        raise refuse(path.name, f"is not XML ({problem})") from None
    return root


def _yaml(path: Path, raw: bytes) -> Any:
    try:
        return parse_yaml(_text(path, raw))
    except YamlInvalidError as problem:
        raise refuse(path.name, str(problem)) from None


def _rows(path: Path, problems: FileProblems) -> Iterator[ToolRecord]:
    """Yield the rows of a table by their first lines; each cell is a text, and an empty one is absent."""
    source = SourceFile(path, problems)
    lines = (text for number, raw in source.raw_lines() if (text := source.decode(number, raw)) is not None)
    first = next(lines, "")
    delimiters = TABLES[path.suffix.lower()]
    csv.field_size_limit(settings.LINE_LIMIT)
    reader = csv.reader(_before(first, lines), delimiter=max(delimiters, key=first.count), strict=True)
    header: list[str] = []
    try:
        for cells in reader:
            if not header:
                header = cells
            elif len(cells) != len(header):
                problems.add(reader.line_num, "", f"has {len(cells)} cells, but there are {len(header)} columns")
            elif any(cells):
                body = {name: cell for name, cell in zip(header, cells, strict=True) if cell}
                yield ToolRecord(reader.line_num, "", _checked(path, body))
    except csv.Error as problem:
        raise refuse(path.name, f"is not valid CSV ({problem})", reader.line_num) from None


def _before(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


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
