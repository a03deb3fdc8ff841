"""Rows of parts that are not installed: they stay in the database, and no study or person that they refer to may go.

Commands that read or write whole data (`WHOLE_DATA` in `config/parts.py`) run with all parts.
"""

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Model, QuerySet

from config.parts import absent_parts_of, part_apps, parts

REFUSED = (
    "This installation keeps rows of {parts}, not installed here, which may belong to what would go. "
    "Ask the operator to install what is missing (PARTS), then try again."
)
logger = logging.getLogger(__name__)


def absent_parts_with_rows() -> list[str]:
    """Return the keys of the parts that are not installed and have rows in the database; none if all are installed."""
    with connection.cursor() as cursor:
        return sorted({key for key, _ in _absent_tables(cursor)})


def why_not_erased(study: str, person: int | None = None) -> str | None:
    """Return the sentence that refuses an erasure in the study with this slug, also of this person, or None.

    Tables of absent parts have no models, so their foreign keys are read from the database. A row belongs to the study
    or the person if it refers to one of their rows. If that is a row of another absent table, that row refuses already.
    """
    with connection.cursor() as cursor:
        tables = list(_absent_tables(cursor))
        rows = _rows_that_may_go(study, person) if tables else {}
        absent = sorted({key for key, table in tables if _refers(cursor, table, rows)})
    return REFUSED.format(parts=_named(absent)) if absent else None


def warn_of_absent_parts() -> None:
    """Log which rows nobody sees here, and which studies ask for more than is here, as servers and workers start."""
    for key in absent_parts_with_rows():
        logger.warning("The part %s is not installed (PARTS), but the database has rows of it. They are kept.", key)
    model = apps.get_model("annotation", "Study")
    if len(settings.PARTS) == len(part_apps()) or model._meta.db_table not in connection.introspection.table_names():
        return  # nothing is absent, or migrate has not run
    for study in model.objects.only("slug", "options", "recruiting").iterator():
        for key in absent_parts_of(study):
            logger.warning("The study %s declares the part %s, which is not installed (PARTS).", study.slug, key)


def _named(keys: list[str]) -> str:
    return ("the part " if len(keys) == 1 else "the parts ") + ", ".join(keys)


def _absent_tables(cursor: Any) -> Iterator[tuple[str, str]]:
    """Yield the tables of absent parts that have rows, each after its part's key."""
    absent = [key for key in part_apps() if key not in settings.PARTS]
    for table in connection.introspection.table_names(cursor) if absent else ():
        for key in absent:
            if table.startswith(f"{key}_") and _finds(cursor, f'SELECT 1 FROM "{table}" LIMIT 1'):  # noqa: S608 - ours
                yield key, table


def _rows_that_may_go(study: str, person: int | None) -> dict[str, QuerySet[Any]]:
    """Return the study's rows in each table of the installed apps, and the row of the person, by table."""
    key = apps.get_model("annotation", "Study")._default_manager.filter(slug=study).values_list("pk", flat=True).first()
    wanted: list[tuple[type[Model], str, int | None]] = [(get_user_model(), "pk", person)]
    for part in parts():
        if part.erasing is not None:
            wanted += [(model, path, key) for model, path in part.erasing.study_rows]
    known = ((model, path, value) for model, path, value in wanted if value is not None)
    return {model._meta.db_table: model._default_manager.filter(**{path: value}) for model, path, value in known}


def _refers(cursor: Any, table: str, rows: Mapping[str, QuerySet[Any]]) -> bool:
    """Whether a row of the table refers to one of these."""
    for column, (of, other) in connection.introspection.get_relations(cursor, table).items():
        if other in rows:
            same = f'"{other}"."{of}" = "{table}"."{column}"'
            found, values = rows[other].extra(where=[same]).query.sql_with_params()  # noqa: S610 - names of ours
            if _finds(cursor, f'SELECT 1 FROM "{table}" WHERE EXISTS ({found}) LIMIT 1', values):  # noqa: S608 - ours
                return True
    return False


def _finds(cursor: Any, sql: str, values: tuple[Any, ...] = ()) -> bool:
    cursor.execute(sql, values)
    return cursor.fetchone() is not None
