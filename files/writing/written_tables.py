"""The tables of one study as files: long ones together with the wide ones that are made of their rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotation.models import Study
from files.writing.dataset_card import DescribedTable
from files.writing.file_writers import WrittenFile, write_jsonl
from files.writing.own_tables import study_tables
from files.writing.table_files import table_file
from files.writing.table_list import ComputedFiles, TableRows
from files.writing.typed_copies import CopyFile, TypedCopy, copy_of_lines
from files.writing.wide_tables import WIDE


@dataclass(frozen=True)
class WrittenTable:
    """A table, its file, and its typed copy if it has one."""

    table: TableRows
    file: WrittenFile
    copy: TypedCopy | None = None

    def described(self, form: str) -> DescribedTable:
        """What the card says of it."""
        name, table, copy = f"{self.table.key}.{form}", self.table, self.copy
        loaded = (name, table.columns) if copy is None else (copy.name, copy.columns)
        return DescribedTable(name, table.key, table.about, table.columns, self.file.lines or 0, *loaded)


def tables_of(study: Study, computed: ComputedFiles) -> list[TableRows]:
    """Return the study's tables, in the order in which the card describes them; some may have no rows."""
    own = [table.rows(study) for table in study_tables() if table.exists is None or table.exists(study)]
    long = {table.key: table for table in own}
    return [
        *own,
        *(wide.rows(study, long[wide.long]) for wide in WIDE),
        *(table.rows(study) for table in computed.tables),
    ]


def write_table(path: Path, table: TableRows, form: str) -> WrittenFile:
    """Write one table, unless it has no rows."""
    if form == "jsonl" and table.lines is not None:
        return write_jsonl(path, table.lines())
    file = table_file(path, table.columns, form)
    try:
        for batch in table.batches():
            file.add(batch)
    finally:
        written = file.close()
    return written


def write_tables(folder: Path, tables: Sequence[TableRows], form: str) -> list[WrittenTable]:
    """Write all tables; those of JSONL have typed copies, too."""
    found: dict[str, WrittenTable] = {}
    for table in tables:
        if table.made_of is None:
            together = [table, *(one for one in tables if one.made_of is table)]
            found |= {one.table.key: one for one in _write_together(folder, together, form)}
    return [found[table.key] for table in tables]


def _write_together(folder: Path, tables: Sequence[TableRows], form: str) -> Iterator[WrittenTable]:
    """Write a table and those that are made of its rows, which are read once."""
    long = tables[0]
    if long.lines is not None:
        path = folder / f"{long.key}.{form}"
        written = write_table(path, long, form)
        copied = form == "jsonl" and written.lines
        yield WrittenTable(long, written, copy_of_lines(folder, long, path) if copied else None)
        return
    files = [table_file(folder / f"{table.key}.{form}", table.columns, form) for table in tables]
    copies = [CopyFile(folder, table) for table in tables] if form == "jsonl" else []
    try:
        for rows in long.batches():
            for place, table in enumerate(tables):
                batch = table.make(rows)
                files[place].add(batch)
                if copies:
                    copies[place].add(batch)
    finally:
        closed = [file.close() for file in files]
    for place, table in enumerate(tables):
        yield WrittenTable(table, closed[place], copies[place].close() if copies else None)
