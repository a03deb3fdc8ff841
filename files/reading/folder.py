"""The files of an import: a folder as an export writes it, or a study file and other files named with it."""

import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from config.parts import parts
from config.text_validation import TextRefusedError, check_text
from files.import_problems import ImportProblem, ImportRefusedError, refuse
from files.line_reading import open_regular

STUDY_NAMES = ("study.yaml", "study.yml", "study.json")
TABLES = (
    "items", "examples", "annotations", "sessions", "labels", "label_samples", "ratings", "runs", "scores", "reviews",
    "adjudications", "raters",
)  # fmt: skip
"""In the order in which they are read: ratings name items and sessions, annotations come with ratings, and reviews
are about both. Not every protocol has every table."""
SUFFIXES = (".jsonl", ".csv", ".parquet")
NUMBERED = re.compile(r"[1-9][0-9]{0,5}\.json")
GUIDELINE = re.compile(r"[1-9][0-9]{0,5}\.md")


@dataclass(frozen=True)
class ImportFiles:
    """The files of one import: the text of `guidelines` by version, the path of `tables` by name."""

    study: Path
    tables: Mapping[str, Path]
    guidelines: Mapping[int, str]


def file_tables() -> list[str]:
    """Return the tables that are files of a folder, in the order in which they are read: those of parts last."""
    of_parts = (table for part in parts() for table in part.importers if table not in part.folders)
    return list(dict.fromkeys((*TABLES, *of_parts)))


def find_files(source: Path, named: Mapping[str, Path | None]) -> ImportFiles:
    """Return the files to import; files in `named` replace those of the folder. Raises ImportRefusedError."""
    given = {table: path for table, path in named.items() if path is not None}
    if not source.is_dir():
        return ImportFiles(source, given, {})
    studies = [source / name for name in STUDY_NAMES if (source / name).exists()]
    if len(studies) != 1:
        names = " and ".join(path.name for path in studies)
        raise refuse(source.name, f"contains both {names}" if studies else "contains no study.yaml")
    tables = dict(given)
    for table in file_tables():
        found = [path for suffix in SUFFIXES if (path := source / f"{table}{suffix}").exists()]
        if table not in tables and len(found) > 1:
            raise refuse(source.name, f"contains both {found[0].name} and {found[1].name}")
        if table not in tables and found:
            tables[table] = found[0]
    for folder in (folder for part in parts() for folder in part.folders):
        tables |= _numbered(source / folder)
    _refuse_links([*studies, *(path for table, path in tables.items() if table not in given)])
    return ImportFiles(studies[0], tables, _guidelines(source / "guidelines"))


def _numbered(folder: Path) -> dict[str, Path]:
    """Return the files of a folder of a part, each a table such as `folder/1`."""
    if not folder.exists():
        return {}
    _refuse_links([folder])
    if not folder.is_dir():
        raise refuse(folder.name, "must be a folder with the files 1.json, 2.json and so on")
    paths = sorted(folder.iterdir())
    for path in paths:
        if not NUMBERED.fullmatch(path.name):
            raise refuse(f"{folder.name}/{path.name}", "is not read: the files here are named 1.json, 2.json and so on")
    return {f"{folder.name}/{path.stem}": path for path in sorted(paths, key=lambda path: int(path.stem))}


def _refuse_links(paths: list[Path]) -> None:
    """Refuse links: a folder from somebody else could link to other files of this machine."""
    links = [path.name for path in paths if stat.S_ISLNK(path.lstat().st_mode)]
    if links:
        raise ImportRefusedError(
            [ImportProblem(name, 0, "", "is a link: replace it with the file itself") for name in links]
        )


def _guidelines(folder: Path) -> dict[int, str]:
    """Return the versions of the guidelines by number."""
    if not folder.exists():
        return {}
    _refuse_links([folder])
    if not folder.is_dir():
        raise refuse(folder.name, "must be a folder with the files 1.md, 2.md and so on")
    paths = sorted(folder.iterdir())
    for path in paths:
        if not GUIDELINE.fullmatch(path.name):
            raise refuse(
                f"guidelines/{path.name}", "is not a version of the guidelines: versions are named 1.md, 2.md and so on"
            )
    _refuse_links(paths)
    return {int(path.stem): _text(path) for path in paths}


def _text(path: Path) -> str:
    name = f"guidelines/{path.name}"
    with open_regular(path) as file:
        raw = file.read(settings.LINE_LIMIT + 1)
    if len(raw) > settings.LINE_LIMIT:
        raise refuse(name, f"is longer than {settings.LINE_LIMIT} bytes")
    try:
        return check_text(raw.decode())
    except UnicodeDecodeError as problem:
        raise refuse(name, f"is not UTF-8 (byte {problem.start + 1})") from None
    except TextRefusedError as problem:
        raise refuse(name, problem.reason) from None
