"""Model fields that Django does not have."""

import json
from typing import Any

from django.db import models

# Made once: `json.dumps` makes an encoder at every call.
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical_json(value: Any) -> str:
    """`value` as JSON text: keys sorted, no blanks, no escapes beyond the needed; refuses NaN and infinities."""
    return _ENCODER.encode(value)


class ExactJSONField(models.TextField):
    """JSON kept as canonical text, so that both databases return the very number and key that went in.

    PostgreSQL's jsonb turns 1e22 into an integer and drops the sign of -0.0; this field is for values
    that are exported again, never for querying inside.
    """

    # What type checkers read: any value goes in and comes out, not the text that is stored.
    _pyi_private_set_type: Any
    _pyi_private_get_type: Any
    _pyi_lookup_exact_type: Any

    def from_db_value(self, value: str | None, *_: Any) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else canonical_json(value)

    def value_to_string(self, obj: models.Model) -> str:
        return canonical_json(self.value_from_object(obj))
