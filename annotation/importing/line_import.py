"""The loop of all importers of lines: check each line by itself, then check and stage lines in batches."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Generic, TypeVar

from annotation.importing.import_problems import FieldInvalidError, FileProblems
from annotation.importing.target import ImportTarget
from annotation.protocols import UnitInvalidError

Line = TypeVar("Line")


class LineImport(ABC, Generic[Line]):
    """Imports the lines of one file. `added` counts new rows."""

    batch_size: ClassVar[int]

    def __init__(self, target: ImportTarget, problems: FileProblems) -> None:
        self.target, self.problems = target, problems
        self.study, self.protocol, self.staging = target.study, target.protocol, target.staging
        self.added = 0

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Read all lines and stage what is new. Raises ImportRefusedError."""
        batch: list[Line] = []
        for line, body in objects:
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

    @abstractmethod
    def read(self, line: int, body: Mapping[str, Any]) -> Line:
        """Check a line by itself. Raises FieldInvalidError or UnitInvalidError."""

    @abstractmethod
    def stage(self, batch: list[Line]) -> None:
        """Check a batch against the study and stage new rows. After a problem, only look for more problems."""

    def finish(self) -> None:
        """Note the problems that show only after the last line."""
