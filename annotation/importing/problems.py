"""What is wrong with files that are to be imported: each problem by file, line, field and reason."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MOST_PROBLEMS = 100
LONGEST_SHOWN = 60


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: `line` is 0 where it concerns the file, `field` empty where the whole line."""

    file: str
    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}, line {self.line}" if self.line else self.file
        return f"{place}: {self.field}: {self.reason}" if self.field else f"{place}: {self.reason}"


class ImportRefusedError(Exception):
    """The files cannot be imported, and nothing was. `problems` are the first ones found."""

    def __init__(self, problems: Sequence[Problem], more: bool = False) -> None:
        super().__init__("; ".join(str(problem) for problem in problems[:3]))
        self.problems = tuple(problems)
        self.more = more


class FieldInvalidError(ValueError):
    """A field of a line that cannot be taken."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


class Problems:
    """Collects what is wrong with one file and gives up at the hundredth."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Problem] = []

    def add(self, line: int, field: str, reason: str) -> None:
        """Keep a problem; raises ImportRefusedError where it is the last one worth listing."""
        self.found.append(Problem(self.file, line, field, reason))
        if len(self.found) >= MOST_PROBLEMS:
            raise ImportRefusedError(self.found, more=True)

    def refuse_if_any(self) -> None:
        """Raise ImportRefusedError where something was wrong."""
        if self.found:
            raise ImportRefusedError(self.found)


def refuse(file: str, reason: str, line: int = 0, field: str = "") -> ImportRefusedError:
    """The error for a single problem."""
    return ImportRefusedError([Problem(file, line, field, reason)])


def quoted(value: Any) -> str:
    """A value as it may stand in a message: ASCII in quotes, cut, so that nothing in it can act on a terminal."""
    text = json.dumps(value if isinstance(value, str | int | float | bool | None) else str(value))
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + '…"'
