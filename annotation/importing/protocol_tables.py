"""The base of importers for tables that only one protocol has."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from annotation.importing.import_problems import FileProblems
from annotation.importing.target import ImportTarget


class TableImport(ABC):
    """Imports the rows of one file. `added` counts new rows."""

    def __init__(self, target: ImportTarget, problems: FileProblems) -> None:
        self.target, self.problems = target, problems
        self.study, self.staging, self.raters = target.study, target.staging, target.raters
        self.added = 0

    @abstractmethod
    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Read all lines and stage what is new. Raises ImportRefusedError."""

    def settle(self) -> None:
        """Add rows that tables read later did not contain. Raises ImportRefusedError."""
