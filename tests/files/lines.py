"""The lines of a study's tables, as the objects that JSONL has."""

import json

from files.writing.table_files import json_lines
from files.writing.table_list import NOTHING_COMPUTED
from files.writing.written_tables import tables_of


def lines_in(study, key):
    """Return the lines of the table `key`."""
    [table] = [table for table in tables_of(study, NOTHING_COMPUTED) if table.key == key]
    if table.lines is not None:
        return list(table.lines())
    write = json_lines(table.columns)
    return [json.loads(line) for batch in table.batches() for line in write(batch)[1].splitlines()]
