"""The base of importers for tables that only one protocol has, or that another app reads."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.utils.module_loading import import_string

from annotation.protocols import Protocol
from config.parts import parts
from files.import_problems import FileProblems
from files.reading.target import ImportTarget
from files.tables.typed_tables import TypedTable


class TableImport(ABC):
    """Imports the rows of one file. `added` counts new rows."""

    typed: ClassVar[TypedTable | None] = None
    """The table's columns; without them, it is JSONL in every export."""

    def __init__(self, target: ImportTarget, problems: FileProblems) -> None:
        self.target, self.problems = target, problems
        self.study, self.staging, self.raters = target.study, target.staging, target.raters
        self.added = 0

    @abstractmethod
    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Read all lines and stage what is new. Raises ImportRefusedError."""

    def settle(self) -> None:
        """Add rows that tables read later did not contain. Raises ImportRefusedError."""


def protocol_importer(protocol: Protocol, table: str) -> type[TableImport] | None:
    """Return the importer of a table that only studies of the protocol have."""
    return _called(protocol.files.importers.get(table))


def app_importer(table: str) -> type[TableImport] | None:
    """Return the importer of an app for a table of all protocols."""
    return _called(next((part.importers[table] for part in parts() if table in part.importers), None))


def _called(name: str | None) -> type[TableImport] | None:
    importer: type[TableImport] | None = None if name is None else import_string(name)
    return importer
