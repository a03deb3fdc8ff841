"""The names of somebody who is erased, taken out of settings, notes and the audit."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Model, Q, QuerySet

from accounts.models import AuditEntry
from config.erasure import ErasedRows
from config.model_fields import ExactJSONField

GONE = "(erased)"
LEAST = 5
"""Characters of a name that is searched inside longer texts."""


@dataclass(frozen=True)
class ErasedNames:
    """Names to be found as whole values, and those of them that lead to somebody inside longer texts, too."""

    all: frozenset[str]

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """Names with a blank, digit or sign in them, as whole words; a plain word such as `ann` could be any word."""
        found = sorted((one for one in self.all if len(one) >= LEAST and not one.isalpha()), key=len, reverse=True)
        return (
            re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, found))})(?![\w-])", re.IGNORECASE) if found else None
        )

    def out_of(self, value: Any) -> Any:
        """Return a text or JSON value without the names: they go from lists and keys, and from texts word by word."""
        if isinstance(value, dict):
            return {key: self.out_of(one) for key, one in value.items() if key not in self.all}
        if isinstance(value, list):
            return [self.out_of(one) for one in value if not (isinstance(one, str) and one in self.all)]
        if not isinstance(value, str) or not value:
            return value
        if value in self.all:
            return GONE
        return self.pattern.sub(GONE, value) if self.pattern else value

    def rows_in(self, rows: QuerySet[Any], columns: Sequence[str]) -> QuerySet[Any]:
        """Return the rows that may have a name in one of these columns."""
        wanted = Q(pk__in=())
        for name in self.all:
            for column in columns:
                is_json = isinstance(rows.model._meta.get_field(column), ExactJSONField)
                text = json.dumps(name, ensure_ascii=False)[1:-1] if is_json else name
                wanted |= Q(**{f"{column}__icontains": text})
        return rows.filter(wanted)


def names_among(given: Collection[str]) -> ErasedNames:
    """Return these names without empty ones."""
    return ErasedNames(frozenset(one.strip() for one in given if one.strip()))


def forget_names_in(rows: QuerySet[Any], columns: Sequence[str], names: ErasedNames, erased: ErasedRows) -> bool:
    """Take the names out of these columns; return whether any was there."""
    changed = False
    for row in names.rows_in(rows, columns) if names.all else ():
        now = {column: names.out_of(getattr(row, column)) for column in columns}
        if new := {column: value for column, value in now.items() if value != getattr(row, column)}:
            erased.empty(_one(row), **new)
            changed = True
    return changed


def forget_names_in_audit(study: str, names: ErasedNames, erased: ErasedRows) -> None:
    """Take the names out of what the entries of a study say."""
    forget_names_in(AuditEntry.objects.filter(study=study), ("subject", "old", "new"), names, erased)


def _one(row: Model) -> QuerySet[Any]:
    return type(row)._default_manager.filter(pk=row.pk)
