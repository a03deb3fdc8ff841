"""The loop of all importers of lines: check each line by itself, then check and stage lines in batches."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from annotation.protocols import UnitInvalidError
from files.import_problems import FieldInvalidError, FileProblems
from files.reading.target import ImportTarget

Line = TypeVar("Line")


@dataclass(frozen=True)
class LineTally:
    """The lines of a file by what an import would do with them; None is not known.

    `extended` lines add to rows that exist, `changed` ones are refused because rows that exist would change,
    `refused` ones include these.
    """

    new: int | None = None
    equal: int | None = None
    extended: int = 0
    changed: int = 0
    refused: int = 0


class LineImport(ABC, Generic[Line]):
    """Imports the lines of one file. `added` counts new rows, `read_lines` the lines that are objects."""

    batch_size: ClassVar[int]

    def __init__(self, target: ImportTarget, problems: FileProblems) -> None:
        self.target, self.problems = target, problems
        self.study, self.protocol, self.staging = target.study, target.protocol, target.staging
        self.added = self.read_lines = 0

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Read all lines and stage what is new. Raises ImportRefusedError."""
        batch: list[Line] = []
        for line, body in objects:
            self.read_lines += 1
            try:
                batch.append(self.read(line, body))
            except (FieldInvalidError, UnitInvalidError) as problem:
                self.problems.add(line, problem.field, problem.reason)
                continue
            if len(batch) >= self.batch_size:
                self.stage(batch)
                batch = []
        self.stage(batch)
        self.finish()
        self.problems.refuse_if_any()

    def tally(self) -> "LineTally":
        """Return what was found so far; `new` is not known after a problem, because nothing more is compared."""
        refused = len(self.problems.lines)
        if refused:
            return LineTally(refused=refused)
        return LineTally(new=self.added, equal=self.read_lines - self.added)

    @abstractmethod
    def read(self, line: int, body: Mapping[str, Any]) -> Line:
        """Check a line by itself. Raises FieldInvalidError or UnitInvalidError."""

    @abstractmethod
    def stage(self, batch: list[Line]) -> None:
        """Check a batch against the study and stage new rows. After a problem, only look for more problems."""

    def finish(self) -> None:
        """Note the problems that show only after the last line."""
