"""Converts files of another tool into a folder that an import reads."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.importing.import_problems import ImportProblem, ImportRefusedError, refuse
from annotation.importing.other_tools import OtherTool, other_tools
from annotation.importing.other_tools.field_roles import FieldRoles
from annotation.importing.other_tools.findings import Findings
from annotation.importing.other_tools.study_making import MadeStudy, StudyMaker
from annotation.importing.other_tools.tool_files import ToolFile, read_tool_file
from annotation.importing.study_file import read_study_file

NOT_IN_SLUG = re.compile(r"[^a-z0-9]+")
STUDY, YAML = "study.json", "study.yaml"


@dataclass(frozen=True)
class Conversion:
    """What was converted: the files of the folder by name, what the study has, and what was left out."""

    tool: OtherTool
    files: Mapping[str, str]
    made: MadeStudy
    left_out: Mapping[str, int]

    @property
    def summary(self) -> Iterator[str]:
        """Yield what was converted and what was not, in sentences."""
        made = self.made
        yield f"{len(made.items)} items, {len(made.ratings)} ratings and {len(made.scores)} scores of machines."
        for plan in made.plans:
            yield f"Question {plan.key}: {plan.type}."
        for reason, count in sorted(self.left_out.items()):
            yield f"Left out or changed, {count}: {reason}."


def recognised(file: ToolFile) -> OtherTool | None:
    """Return the tool that seems to have written a file."""
    return next((tool for tool in other_tools().values() if tool.recognises(file)), None)


def converted(
    tool: OtherTool,
    paths: Sequence[Path],
    slug: str,
    roles: FieldRoles = FieldRoles(),  # noqa: B008 - frozen
    study: Path | None = None,
) -> Conversion:
    """Convert files. With `study`, its questions say how answers are read, and the folder holds it unchanged.

    Raises ImportRefusedError with the problems of all files.
    """
    file_of_study = None if study is None else read_study_file(study)
    found, files = Findings(), [read_tool_file(path) for path in paths]
    names = [file.path.name for file in files]
    for file in files:
        if names.count(file.path.name) > 1:  # as the files of several annotators are
            file.found.file = str(Path(file.path.absolute().parent.name) / file.path.name)
    _refuse_others(tool, files)
    for file in files:
        tool.read(file, found)
    _refuse(files)
    if not found.records:
        raise refuse(names[0] if names else "files", "contains no record of this tool")
    problems = {file.name: file.found for file in files}
    made = StudyMaker(found, roles, file_of_study, problems).make(slug_of(slug))
    _refuse(files)
    if not made.plans:
        raise refuse(names[0], "contains no answer that has a counterpart")
    written = {STUDY: json.dumps(made.body, ensure_ascii=False, indent=1) + "\n"}
    if study is not None:
        written = {YAML if study.suffix != ".json" else STUDY: study.read_text(encoding="utf-8")}
    tables = {"items": made.items, "ratings": made.ratings, "scores": made.scores}
    written |= {f"{name}.jsonl": _lines(lines) for name, lines in tables.items() if lines}
    return Conversion(tool, written, made, dict(+found.left_out))


def _refuse_others(tool: OtherTool, files: Sequence[ToolFile]) -> None:
    """Raise ImportRefusedError if no file looks like one of the tool's, but one looks like another tool's."""
    if any(tool.recognises(file) for file in files):
        return
    for file in files:
        if (other := recognised(file)) is not None:
            raise refuse(file.name, f"does not look like a file of {tool.label}, but like one of {other.label}")


def slug_of(name: str) -> str:
    """A slug made from a name."""
    return NOT_IN_SLUG.sub("-", name.lower()).strip("-")[:100] or "converted"


def write_conversion(conversion: Conversion, out: Path) -> None:
    """Write the folder. Raises ImportRefusedError if `out` exists and is not an empty folder."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise refuse(out.name, "exists: choose a new or empty folder")
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in conversion.files.items():
            (out / name).write_text(text, encoding="utf-8", newline="")
    except OSError as problem:
        raise refuse(out.name, f"cannot be written: {problem.strerror}") from None


def _refuse(files: Sequence[ToolFile]) -> None:
    """Raise ImportRefusedError with the problems of all files."""
    found: list[ImportProblem] = [problem for file in files for problem in file.found.found]
    if found:
        raise ImportRefusedError(found, sum(file.found.count for file in files) - len(found))


def _lines(lines: Sequence[dict[str, Any]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
