"""What a protocol brings that imports a table of its own."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

from annotation.importing.material import Material
from annotation.importing.problems import Problems
from annotation.importing.raters import Raters
from annotation.models import Study


class TableImport(ABC):
    """One file's rows on their way into a study; counts what it did."""

    def __init__(self, study: Study, raters: Raters, material: Material, problems: Problems) -> None:
        self.study, self.raters, self.material, self.problems = study, raters, material, problems
        self.added = 0

    @abstractmethod
    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Read and write all lines; raises ImportRefusedError with what is wrong."""

    def settle(self) -> None:
        """Add what the tables that are read later have not brought; raises ImportRefusedError."""
