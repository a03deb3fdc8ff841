"""Recognises uploaded files of other annotation tools, and converts them into what an import reads.

Files are untrusted: they are read by workers alone, and only as far as OTHER_TOOL_BYTES, because records are in memory.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings

from annotation.blinding import HIDDEN, names_of
from annotation.importing.import_problems import ImportRefusedError, refuse
from annotation.importing.line_reading import BOM, JSONInvalidError, parse_json
from annotation.importing.other_tools import OtherTool, other_tools
from annotation.importing.other_tools.conversion_choices import ConversionChoices
from annotation.importing.other_tools.converting import STUDY, Conversion, converted, recognised
from annotation.importing.other_tools.tool_files import (
    LINES,
    NO_FOLDER,
    TABLES,
    begin_of_tool_file,
    read_tool_file,
)
from annotation.importing.system_codes import codes_for_files
from annotation.models import Study
from managing.models import ItemUpload
from managing.uploads.receiving import WHOLE, place_of
from reports.exporting.study_yaml import study_yaml

ARRAYS = ".json"
CHUNK = 1 << 20
LONGEST_NAME = 60
LINES_OF_IMPORT = ("items", "ratings", "scores")
TOO_LARGE = "is larger than {:,} MB, the most for a file of another tool: use the command convert"
UNKNOWN = "is not a file of {}. Items and answers in the format of this site are JSONL or CSV"


@dataclass(frozen=True)
class ConvertedUpload:
    """What a tool's file became: the folder that an import reads, its tables, and what was understood, in sentences."""

    tool: OtherTool
    folder: Path
    tables: Mapping[str, Path]
    summary: tuple[str, ...]
    example: Mapping[str, Any] | None = None
    """One answer as it will be in the study, so that a person can check who is where."""


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
    with TemporaryDirectory(prefix="convert-", dir=place_of(upload).parent) as place:
        folder = Path(place) / "files"
        named = _under_their_names(upload, folder)
        is_ours = upload.table != WHOLE and len(named) == 1 and named[0].suffix != ARRAYS
        tool = None
        try:
            _refuse_large(upload, named)
            tool = tool_of(named[0]) if len(named) == 1 else _tool_of_any(named)
            if tool is None and not is_ours:
                raise refuse(upload.name, UNKNOWN.format(tool_names()))
            found = None if tool is None else _converted(upload, tool, folder, Path(place))
        except ImportRefusedError as refused:
            raise ConversionRefusedError(tool, refused) from None
        yield found


def tool_of(path: Path) -> OtherTool | None:
    """The tool that has written a file, by its first record or its settings. Raises ImportRefusedError."""
    if path.suffix in (LINES, *TABLES):
        begin = begin_of_tool_file(path)
        return None if begin is None else recognised(begin)
    return recognised(read_tool_file(path))


def _tool_of_any(paths: Sequence[Path]) -> OtherTool | None:
    """The tool of the first file that is recognised; others are read with it, or counted."""
    for path in paths:
        try:
            if (tool := tool_of(path)) is not None:
                return tool
        except ImportRefusedError:
            continue
    return None


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


def _refuse_large(upload: ItemUpload, named: Sequence[Path]) -> None:
    """Raise ImportRefusedError for files of a tool that are too large; ours are read line by line."""
    if upload.size > settings.OTHER_TOOL_BYTES and (len(named) > 1 or named[0].suffix == ARRAYS or tool_of(named[0])):
        raise refuse(upload.name, TOO_LARGE.format(settings.OTHER_TOOL_BYTES // 2**20))


def _under_their_names(upload: ItemUpload, folder: Path) -> list[Path]:
    """The uploaded files under the names that they had, in the folders that they were in: some tools name raters so."""
    if not upload.files:
        named = _place(folder, 0, upload.name)
        try:
            os.link(place_of(upload), named)
        except OSError:  # a file system without links
            shutil.copyfile(place_of(upload), named)
        return [named]
    places = []
    with place_of(upload).open("rb") as source:
        for number, (name, size) in enumerate(upload.files):
            places.append(_place(folder, number, name))
            with places[-1].open("wb") as file:
                left = size
                while left and (chunk := source.read(min(CHUNK, left))):
                    file.write(chunk)
                    left -= len(chunk)
    return places


def _place(folder: Path, number: int, name: str) -> Path:
    """Where a file is put, whose name came from a browser; its folder is made."""
    parts = [part for part in name.replace("\\", "/").split("/") if part.strip(". ")]
    parent, plain = (parts[-2] if len(parts) > 1 else NO_FOLDER), Path(parts[-1] if parts else "file")
    named = folder / str(number) / _harmless(parent) / f"{_harmless(plain.stem)}{plain.suffix.lower()}"
    named.parent.mkdir(parents=True)
    return named


def _harmless(name: str) -> str:
    """A part of a name without what cannot be shown, and not too long."""
    return "".join(letter if letter.isprintable() else "_" for letter in name)[:LONGEST_NAME]


def _converted(upload: ItemUpload, tool: OtherTool, files: Path, place: Path) -> ConvertedUpload:
    asked = place / "study.yaml"
    if upload.table != WHOLE:
        asked.write_text(study_yaml(upload.study), encoding="utf-8")
    told, study = ConversionChoices.from_json(upload.choices), None if upload.table == WHOLE else asked
    paths = [files] if upload.files else sorted(files.rglob("*.*"))
    done = converted(tool, paths, upload.study.slug, told, study)
    folder = place / "folder"
    folder.mkdir()
    for name, text in {**done.files, **_study_file(upload, done)}.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    tables = {name: path for name in LINES_OF_IMPORT if (path := folder / f"{name}.jsonl").is_file()}
    example = done.made.example
    shown = None if example is None else example.renamed(_called(upload.study)).as_json()
    return ConvertedUpload(tool, folder, tables, tuple(done.summary), shown)


def _called(study: Study) -> Callable[[str], str]:
    """How an example from a file calls systems: by codes, which files for a blinded study with outputs do themselves.

    The code of another name would answer a guess. The first names of a study get other codes with the import.
    """
    codes = codes_for_files(study)
    return (lambda name: HIDDEN if codes.lacks(name) else name) if codes.are_used else names_of(study).shown


def _study_file(upload: ItemUpload, done: Conversion) -> dict[str, str]:
    """The study file of a study that asks what the tool's file says, under the title that the draft has."""
    if upload.table != WHOLE:
        return {}
    return {STUDY: json.dumps({**done.made.body, "title": upload.study.title}, ensure_ascii=False)}
