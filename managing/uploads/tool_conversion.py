"""Recognises uploaded files of other annotation tools, and converts them into what an import reads.

Files are untrusted: they are read by workers alone, and only as far as OTHER_TOOL_BYTES, because records are in memory.
"""

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from annotation.importing.import_problems import FileProblems, ImportRefusedError, refuse
from annotation.importing.line_reading import BOM, JSONInvalidError, parse_json
from annotation.importing.other_tools import OtherTool, other_tools
from annotation.importing.other_tools.converting import STUDY, Conversion, converted, recognised
from annotation.importing.other_tools.tool_files import LINES, ToolFile, ToolRecord, read_tool_file
from managing.models import ItemUpload
from managing.uploads.receiving import WHOLE, place_of
from reports.exporting.study_yaml import study_yaml

ARRAYS = ".json"
NOT_IN_NAME = re.compile(r"[^\w-]+")
LONGEST_NAME = 40
TABLES = ("items", "ratings", "scores")
TOO_LARGE = "is larger than {:,} MB, the most for a file of another tool: use the command convert"
UNKNOWN = "is not a file of {}. Items and answers in the format of this site are JSONL or CSV"


@dataclass(frozen=True)
class ConvertedUpload:
    """What a tool's file became: the folder that an import reads, its tables, and what was understood, in sentences."""

    tool: OtherTool
    folder: Path
    tables: Mapping[str, Path]
    summary: tuple[str, ...]


class ConversionRefusedError(Exception):
    """A tool's file cannot be converted; `refused` has the problems. `tool` is None if no tool is recognised."""

    def __init__(self, tool: OtherTool | None, refused: ImportRefusedError) -> None:
        super().__init__(str(refused))
        self.tool, self.refused = tool, refused


@contextmanager
def converted_upload(upload: ItemUpload) -> Iterator[ConvertedUpload | None]:
    """The conversion of an uploaded file as long as the context lasts; None if it is in the format of this site.

    The study's questions say how answers are read, except if the file is to say what the study asks. Raises
    ConversionRefusedError.
    """
    path = place_of(upload)
    with TemporaryDirectory(prefix="convert-", dir=path.parent) as place:
        named = _under_its_name(upload, Path(place))
        tool = None
        try:
            tool = tool_of(named)
            if tool is None and (upload.table == WHOLE or path.suffix == ARRAYS):
                raise refuse(upload.name, UNKNOWN.format(tool_names()))
            found = None if tool is None else _converted(upload, tool, named, Path(place))
        except ImportRefusedError as refused:
            raise ConversionRefusedError(tool, refused) from None
        yield found


def tool_of(path: Path) -> OtherTool | None:
    """The tool that has written a file, by its first record. Raises ImportRefusedError."""
    if path.suffix not in (LINES, ARRAYS):
        return None
    if path.suffix == ARRAYS:
        _refuse_large(path)
        return recognised(read_tool_file(path))
    with path.open("rb") as file:
        line = file.readline(settings.LINE_LIMIT)
    try:
        first = parse_json(line.decode("utf-8-sig"))
    except (UnicodeDecodeError, JSONInvalidError):
        return None  # the dry run of an import says what is wrong
    if not isinstance(first, dict):
        return None
    tool = recognised(ToolFile(path, [ToolRecord(1, "", first)], False, FileProblems(path.name)))
    if tool is not None:
        _refuse_large(path)
    return tool


def tool_names() -> str:
    """The tools whose files are recognised, for a sentence."""
    *first, last = (tool.label.partition(" (")[0] for tool in other_tools().values())
    return f"{', '.join(first)} or {last}"


def looks_like_tool_file(name: str, size: int, begin: bytes) -> bool:
    """Whether a file cannot be a study file; `begin` is all of it if it has at most LINE_LIMIT bytes."""
    suffix = Path(name).suffix.lower()
    if suffix != ARRAYS or size > settings.LINE_LIMIT:
        return suffix in (LINES, ARRAYS)
    if begin.removeprefix(BOM).lstrip().startswith(b"["):
        return True
    try:
        body = parse_json(begin.decode("utf-8-sig"))
    except (UnicodeDecodeError, JSONInvalidError):
        return False
    return isinstance(body, dict) and not {"protocol", "questions"} & body.keys()


def _refuse_large(path: Path) -> None:
    if path.stat().st_size > settings.OTHER_TOOL_BYTES:
        raise refuse(path.name, TOO_LARGE.format(settings.OTHER_TOOL_BYTES // 2**20))


def _under_its_name(upload: ItemUpload, place: Path) -> Path:
    """The uploaded file under the name that it had, in a folder of that name: some tools name raters so."""
    name = Path(upload.name)
    stem = NOT_IN_NAME.sub("_", name.stem)[:LONGEST_NAME] or "file"
    named = place / stem / f"{stem}{name.suffix.lower()}"
    named.parent.mkdir()
    try:
        os.link(place_of(upload), named)
    except OSError:  # a file system without links
        shutil.copyfile(place_of(upload), named)
    return named


def _converted(upload: ItemUpload, tool: OtherTool, named: Path, place: Path) -> ConvertedUpload:
    asked = place / "study.yaml"
    if upload.table != WHOLE:
        asked.write_text(study_yaml(upload.study), encoding="utf-8")
    done = converted(tool, [named], upload.study.slug, study=None if upload.table == WHOLE else asked)
    folder = place / "folder"
    folder.mkdir()
    for name, text in {**done.files, **_study_file(upload, done)}.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    tables = {name: path for name in TABLES if (path := folder / f"{name}.jsonl").is_file()}
    return ConvertedUpload(tool, folder, tables, tuple(done.summary))


def _study_file(upload: ItemUpload, done: Conversion) -> dict[str, str]:
    """The study file of a study that asks what the tool's file says, under the title that the draft has."""
    if upload.table != WHOLE:
        return {}
    return {STUDY: json.dumps({**done.made.body, "title": upload.study.title}, ensure_ascii=False)}
