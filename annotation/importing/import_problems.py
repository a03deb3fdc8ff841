"""The problems of an import's files, each with its file, line, field and reason."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MOST_PROBLEMS = 100
LONGEST_SHOWN = 60


@dataclass(frozen=True)
class ImportProblem:
    """One problem. `line` is 0 if it concerns the whole file, `field` is empty if it concerns the whole line."""

    file: str
    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}" if self.line else self.file
        return f"{place}: {self.field}: {self.reason}" if self.field else f"{place}: {self.reason}"


class ImportRefusedError(Exception):
    """The files cannot be imported, and nothing was imported. `problems` are the first ones found."""

    def __init__(self, problems: Sequence[ImportProblem], more: bool = False) -> None:
        super().__init__("; ".join(str(problem) for problem in problems[:3]))
        self.problems = tuple(problems)
        self.more = more


class FieldInvalidError(ValueError):
    """A field of a line has a value that is not allowed."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


class FileProblems:
    """The problems of one file; reading stops after a hundred."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[ImportProblem] = []

    def add(self, line: int, field: str, reason: str) -> None:
        """Note a problem. Raises ImportRefusedError if it is the last one that is listed."""
        self.found.append(ImportProblem(self.file, line, field, reason))
        if len(self.found) >= MOST_PROBLEMS:
            raise ImportRefusedError(self.found, more=True)

    def refuse_if_any(self) -> None:
        """Raise ImportRefusedError if there are problems."""
        if self.found:
            raise ImportRefusedError(self.found)


def refuse(file: str, reason: str, line: int = 0, field: str = "") -> ImportRefusedError:
    """Return the error for a single problem."""
    return ImportRefusedError([ImportProblem(file, line, field, reason)])


def quoted(value: Any) -> str:
    """Return a value for a message: shortened, and in ASCII, so that it cannot control a terminal."""
    text = json.dumps(value if isinstance(value, str | int | float | bool | None) else str(value))
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + '…"'
