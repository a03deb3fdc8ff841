"""Data frames of exported tables. The libraries are optional and loaded when they are used."""

import importlib
import shutil
import zipfile
from pathlib import Path
from typing import Any, Literal

from interrater_client.decoding import lines_of
from interrater_client.problems import InterraterError

FrameLibrary = Literal["pandas", "polars"]
FrameForm = Literal["jsonl", "parquet"]


def frame_of(path: Path, library: FrameLibrary) -> Any:
    """The table in a file of JSONL or Parquet. In JSONL, values of several types in a column stay as they are."""
    module = _loaded(library)
    if path.suffix == ".parquet":
        return module.read_parquet(path)
    rows = list(lines_of(path))
    if library == "pandas":
        return module.DataFrame(rows)
    return module.DataFrame(_columns(rows, module), strict=False)


class NoMemberError(InterraterError):
    """The export has no such table."""


def member_of(archive: Path, name: str) -> Path:
    """Unpack the file of this name, at any depth of the archive's one folder, beside the archive."""
    with zipfile.ZipFile(archive) as opened:
        for member in opened.namelist():
            if member == name or member.partition("/")[2] == name:
                path = archive.with_name("table" + Path(name).suffix)
                with opened.open(member) as packed, path.open("wb") as file:
                    shutil.copyfileobj(packed, file)
                return path
    raise NoMemberError(f"The export has no {name}.")


def empty_frame(library: FrameLibrary) -> Any:
    """A table without rows and columns."""
    return _loaded(library).DataFrame()


def _loaded(library: FrameLibrary) -> Any:
    try:
        return importlib.import_module(library)
    except ImportError as problem:
        raise ImportError(f"Install {library} first: pip install 'interrater-client[{library}]'") from problem


def _columns(rows: list[dict[str, Any]], module: Any) -> dict[str, Any]:
    """The columns of rows for polars, whose columns have one type: mixed ones hold Python objects."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: _series(module, name, [row.get(name) for row in rows]) for name in names}


def _series(module: Any, name: str, values: list[Any]) -> Any:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return module.Series(name, [None if value is None else float(value) for value in values])
    if len(kinds) <= 1:
        try:
            return module.Series(name, values, strict=True)
        except (TypeError, ValueError, OverflowError, module.exceptions.PolarsError):
            pass  # lists or objects whose values differ in type
    return module.Series(name, values, dtype=module.Object)
