"""The problems of an import's files, each with its file, line, field and reason."""

import json
from bisect import insort
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from config.strict_models import resembling

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
    """The files cannot be imported, and nothing was imported. `problems` are the first ones; there are `more`."""

    def __init__(self, problems: Sequence[ImportProblem], more: int = 0) -> None:
        super().__init__("; ".join(str(problem) for problem in problems[:3]))
        self.problems = tuple(problems)
        self.more = more


NOT_INSTALLED = "belongs to the part {}, which is not installed here. Ask the operator (PARTS), or leave it out"


class FieldInvalidError(ValueError):
    """A field of a line has a value that is not allowed."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


class FileProblems:
    """The problems of one file: all are counted, and the first hundred are kept in the order of their lines."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.count = 0
        self.found: list[ImportProblem] = []
        self.lines: set[int] = set()
        """The lines that have problems."""

    def add(self, line: int, field: str, reason: str) -> None:
        """Note a problem."""
        self.count += 1
        self.lines.add(line)
        if len(self.found) < MOST_PROBLEMS or line < self.found[-1].line:
            insort(self.found, ImportProblem(self.file, line, field, reason), key=attrgetter("line"))
            del self.found[MOST_PROBLEMS:]

    def refuse_if_any(self) -> None:
        """Raise ImportRefusedError if there are problems."""
        if self.found:
            raise ImportRefusedError(self.found, self.count - len(self.found))


def refuse(file: str, reason: str, line: int = 0, field: str = "") -> ImportRefusedError:
    """Return the error for a single problem."""
    return ImportRefusedError([ImportProblem(file, line, field, reason)])


def quoted(value: Any) -> str:
    """Return a value for a message: shortened, and in ASCII, so that it cannot control a terminal."""
    text = json.dumps(value if isinstance(value, str | int | float | bool | None) else str(value))
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + '…"'


def unknown(what: str, given: Any, known: Collection[str]) -> str:
    """Return the reason for refusing an unknown key, option or column, with the known one that it resembles."""
    close = resembling(given, known)
    return f"unknown {what}; did you mean {quoted(close)}?" if close else f"unknown {what}"
