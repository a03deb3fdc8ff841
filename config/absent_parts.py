"""Rows of parts that are not installed: they stay in the database, and nothing that they refer to may go.

Commands that read or write whole data (`WHOLE_DATA` in `config/parts.py`) run with all parts.
"""

import logging

from django.apps import apps
from django.conf import settings
from django.db import connection

from config.parts import absent_parts_of, part_apps

REFUSED = (
    "This installation keeps rows of {parts}, not installed here, which may belong to what would go. "
    "Ask the operator to install what is missing (PARTS), then try again."
)
logger = logging.getLogger(__name__)


def absent_parts_with_rows() -> list[str]:
    """Return the keys of the parts that are not installed and have rows in the database; none if all are installed."""
    absent = [key for key in part_apps() if key not in settings.PARTS]
    if not absent:
        return []
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        return [
            key for key in absent if any(_has_rows(cursor, table) for table in tables if table.startswith(f"{key}_"))
        ]


def why_not_erased() -> str | None:
    """Return the sentence that refuses an erasure, or None."""
    absent = absent_parts_with_rows()
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


def _has_rows(cursor: object, table: str) -> bool:
    cursor.execute(f'SELECT 1 FROM "{table}" LIMIT 1')  # type: ignore[attr-defined]  # noqa: S608 - tables of ours
    return cursor.fetchone() is not None  # type: ignore[attr-defined]
