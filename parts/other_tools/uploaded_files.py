"""Recognises uploaded files of other annotation tools, and converts them into what an import reads.

Files are untrusted: they are read by workers alone, and only as far as OTHER_TOOL_BYTES, because records are in memory.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings

from annotation.blinding import HIDDEN, names_of
from annotation.models import Study
from config.text_validation import given
from files.import_problems import ImportRefusedError, refuse
from files.line_reading import BOM, JSONInvalidError, parse_json
from files.reading.system_codes import codes_for_files
from files.writing.study_yaml import study_yaml
from managing.models import ItemUpload
from managing.uploads.other_formats import ConversionRefusedError, ConvertedUpload, OtherFormats
from managing.uploads.receiving import WHOLE, place_of
from parts.other_tools.conversion_choices import ChoicesNeededError, ConversionChoices
from parts.other_tools.converting import STUDY, Conversion, converted, recognised
from parts.other_tools.other_tool import OtherTool, other_tools
from parts.other_tools.tool_files import (
    LINES,
    NO_FOLDER,
    READ,
    TABLES,
    begin_of_tool_file,
    read_tool_file,
)

ARRAYS = ".json"
CHUNK = 1 << 20
LONGEST_NAME = 60
LINES_OF_IMPORT = ("items", "ratings", "scores")
TOO_LARGE = "is larger than {:,} MB, the most for a file of another tool: use the command convert"
MOST_FILES = 200
"""Files that one upload may have; a folder of a tool has one or two for each person."""
ALONE = (LINES, ".csv", ARRAYS)
"""The ends of the names of files that can be a whole upload."""
WRONG_NAME = "The file must be JSONL or CSV, or of another tool, with a name that ends in .jsonl, .csv or .json."
WRONG_NAMES = "Several files must be of another tool, with names that end in {}. {} does not."
TOO_MANY = "At most {} files can be uploaded together. Use the command convert for more."
UNKNOWN = "is not a file of {}. Items and answers in the format of this site are JSONL or CSV"


class ToolFormats(OtherFormats):
    """The files of other tools, of which those that belong together are one upload."""

    upload_help = "JSONL or CSV, saved as UTF-8, or files of another tool, those that belong together at once."
    study_help = (
        "study.yaml, as an export contains it, or the same as JSON. Or files of Label Studio, Argilla, Potato, doccano,"
        " AlpacaEval or MT-bench, those that belong together at once: a dry run says how they are read before their"
        " items and answers are imported."
    )
    suffixes = READ

    def why_not(self, names: Sequence[str]) -> str:
        if len(names) > MOST_FILES:
            return TOO_MANY.format(MOST_FILES)
        allowed = READ if len(names) > 1 else ALONE
        wrong = next((name for name in names if Path(name).suffix.lower() not in allowed), None)
        if wrong is None:
            return ""
        return WRONG_NAMES.format(", ".join(sorted(READ)), wrong) if len(names) > 1 else WRONG_NAME

    def is_other(self, name: str, size: int, begin: bytes) -> bool:
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

    @contextmanager
    def converted(self, upload: ItemUpload) -> Iterator[ConvertedUpload | None]:
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
                findings: dict[str, Any] = {} if tool is None else {"tool": tool.label}
                if isinstance(refused, ChoicesNeededError):
                    findings["asked"] = [asdict(choice) for choice in refused.asked]
                raise ConversionRefusedError(refused, findings) from None
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
    findings = {"tool": tool.label, "summary": list(done.summary), **given({"example": shown})}
    return ConvertedUpload(folder, tables, findings)


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
