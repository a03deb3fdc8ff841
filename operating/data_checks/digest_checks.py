"""Rules about what never changes: texts, plans and frozen figures are what their digests say."""

from collections.abc import Callable, Iterator
from typing import Any

from annotation.pools import COPIES
from files.reading.item_import import ITEM_COLUMNS, OUTPUT_COLUMNS, digest_of
from operating.data_check import ALTERED, DataCheck, Row, sql_rows
from reports.kept.freezing import frozen_key

OF_ITEM = ITEM_COLUMNS[ITEM_COLUMNS.index("document") : ITEM_COLUMNS.index("digest")]
OF_OUTPUT = OUTPUT_COLUMNS[OUTPUT_COLUMNS.index("text") : OUTPUT_COLUMNS.index("digest")]


def _quoted(columns: tuple[str, ...]) -> str:
    return ", ".join(f'x."{column}"' for column in columns)


def _altered(sql: str, columns: tuple[str, ...]) -> Iterator[Row]:
    for row in sql_rows(sql):
        if digest_of(row[column] for column in columns) != row["digest"]:
            yield {"id": row["id"], "key": row["key"]}


def altered_items() -> Iterator[Row]:
    """Items whose text is not that of their digest; copies that the program has made for checks have none."""
    pool = COPIES
    return _altered(
        f"SELECT x.id, x.key, {_quoted(OF_ITEM)}, x.digest FROM annotation_item x "  # noqa: S608
        f"WHERE x.pool <> '{pool}' ORDER BY x.id",
        OF_ITEM,
    )


def altered_outputs() -> Iterator[Row]:
    pool = COPIES
    return _altered(
        f"SELECT x.id, x.key, {_quoted(OF_OUTPUT)}, x.digest FROM annotation_output x "  # noqa: S608
        f"JOIN annotation_item i ON i.id = x.item_id WHERE i.pool <> '{pool}' ORDER BY x.id",
        OF_OUTPUT,
    )


def altered_reports() -> Iterator[Row]:
    """Frozen reports whose key is not that of their figures; erased ones have no figures any more."""
    sql = (
        "SELECT r.id, s.slug, r.digest, r.figures, r.frozen_as FROM reports_keptreport r "
        "JOIN annotation_study s ON s.id = r.study_id WHERE r.frozen_as IS NOT NULL AND r.removed_at IS NULL"
    )
    for row in sql_rows(sql):
        if frozen_key(row["slug"], row["digest"], row["figures"]) != row["frozen_as"]:
            yield {"id": row["id"], "frozen_as": row["frozen_as"]}


def _check(key: str, what: str, find: Callable[[], Any]) -> DataCheck:
    return DataCheck(key, ALTERED.format(what), find)


CHECKS = (
    _check("altered_items", "An item's text", altered_items),
    _check("altered_outputs", "An output's text", altered_outputs),
    _check("altered_reports", "A frozen report", altered_reports),
)
