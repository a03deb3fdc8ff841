"""Converts files of another tool into a folder that an import reads."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from files.import_problems import ImportProblem, ImportRefusedError, quoted, refuse
from files.reading.study_file import read_study_file
from parts.other_tools.conversion_choices import ChoicesNeededError, ConversionChoices
from parts.other_tools.findings import Findings
from parts.other_tools.other_tool import OtherTool, other_tools
from parts.other_tools.study_making import MadeStudy, StudyMaker
from parts.other_tools.tool_files import READ, ToolFile, read_tool_file

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

    @property
    def example(self) -> Iterator[str]:
        """Yield the lines of one answer as it will be in the study."""
        if self.made.example is not None:
            yield from self.made.example.lines


def recognised(file: ToolFile) -> OtherTool | None:
    """Return the tool that seems to have written a file."""
    tools = (tool for tool in other_tools().values() if tool.reads_tables or not file.is_table)
    return next((tool for tool in tools if tool.recognises(file)), None)


def converted(
    tool: OtherTool,
    paths: Sequence[Path],
    slug: str,
    told: ConversionChoices = ConversionChoices(),  # noqa: B008 - frozen
    study: Path | None = None,
) -> Conversion:
    """Convert files, and those of folders that are the tool's. `told` is what a person has decided.

    With `study`, its questions say how answers are read, and the folder holds it unchanged. Raises ImportRefusedError
    with the problems of all files, or ChoicesNeededError if files are ambiguous.
    """
    file_of_study = None if study is None else read_study_file(study)
    found = Findings(told)
    files = _read(tool, paths, found)
    names = [file.path.name for file in files]
    for file in files:
        if names.count(file.path.name) > 1:  # as the files of several annotators are
            file.found.file = str(Path(file.path.absolute().parent.name) / file.path.name)
    _refuse_others(tool, files)
    for file in sorted(files, key=lambda file: not tool.is_settings(file)):
        tool.read(file, found)
    _refuse(files, found)
    if not found.records:
        raise refuse(names[0] if names else "files", "contains no record of this tool")
    _refuse_unknown_fields(names[0], found)
    problems = {file.name: file.found for file in files}
    made = StudyMaker(found, file_of_study, problems).make(slug_of(slug))
    _refuse(files, found)
    if not made.plans:
        raise refuse(names[0], "contains no answer that has a counterpart")
    written = {STUDY: json.dumps(made.body, ensure_ascii=False, indent=1) + "\n"}
    if study is not None:
        written = {YAML if study.suffix != ".json" else STUDY: study.read_text(encoding="utf-8")}
    tables = {"items": made.items, "ratings": made.ratings, "scores": made.scores}
    written |= {f"{name}.jsonl": _lines(lines) for name, lines in tables.items() if lines}
    return Conversion(tool, written, made, dict(+found.left_out))


def _read(tool: OtherTool, paths: Sequence[Path], found: Findings) -> list[ToolFile]:
    """Read files, and what a tool has written into folders; their other files are counted."""
    files = []
    for path in paths:
        if not path.is_dir():
            files.append(read_tool_file(path))
            continue
        inside = list(_inside(path, found))
        own = [file for file in inside if tool.belongs(file, inside)]
        for file in inside:
            if file not in own:
                found.left_out[f"file {file.path.name}, which says nothing more"] += 1
        files += own
    return files


def _inside(folder: Path, found: Findings) -> Iterator[ToolFile]:
    """Yield the files of a folder that can be read, those of its folders, too."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix.lower() in READ:
            try:
                yield read_tool_file(path)
            except ImportRefusedError:
                found.left_out[f"file {path.name}, which cannot be read"] += 1


def _refuse_unknown_fields(file: str, found: Findings) -> None:
    """Raise ImportRefusedError if a person has named a field that no record has."""
    told, known = found.told, {name for record in found.records.values() for name in record.fields}
    roles = (told.roles.instruction, told.roles.document, *told.roles.outputs)
    named = [*roles, *(name for pair in told.sides.values() for name in pair), *told.shows.values()]
    for name in named:
        if name is not None and name not in known:
            raise refuse(file, f"no record has the field {quoted(name)}; there are {', '.join(sorted(known)[:20])}")


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


def _refuse(files: Sequence[ToolFile], found: Findings) -> None:
    """Raise ImportRefusedError with the problems of all files, or ChoicesNeededError if there are none but choices."""
    problems: list[ImportProblem] = [problem for file in files for problem in file.found.found]
    asked = list(found.asked.values())
    if problems:
        more = sum(file.found.count for file in files) - len(problems)
        raise ImportRefusedError([*problems, *(choice.problem for choice in asked)], more)
    if asked:
        raise ChoicesNeededError(asked)


def _lines(lines: Sequence[dict[str, Any]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
