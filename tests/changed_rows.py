"""Which tables the statements of a block have changed."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.db import connection

CHANGE = re.compile(r'(?:^|\(|\)\s)\s*(?:INSERT INTO|UPDATE|DELETE FROM)\s+"?(\w+)"?', re.IGNORECASE)
"""Of a statement that is several in one, each."""


class ChangedTables:
    """An execute wrapper that notes which tables statements have changed."""

    def __init__(self) -> None:
        self.tables: set[str] = set()

    def __call__(self, execute, sql, params, many, context):
        result = execute(sql, params, many, context)
        if context["cursor"].rowcount:
            self.tables |= set(CHANGE.findall(sql))
        return result


@contextmanager
def changes() -> Iterator[set[str]]:
    """Yield the names of models whose rows are changed within the block."""
    labels = {model._meta.db_table: model._meta.label for model in apps.get_models(include_auto_created=True)}
    noted, found = ChangedTables(), set()
    with connection.execute_wrapper(noted):
        yield found
    found.update(labels[table] for table in noted.tables if table in labels)
