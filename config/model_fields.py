"""Model fields that Django does not have."""

import json
from typing import Any

from django.db import models

# Created once: `json.dumps` would create an encoder for each call.
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical_json(value: Any) -> str:
    """Return `value` as JSON text with sorted keys, no blanks and no unneeded escapes. Refuses NaN and infinities."""
    return _ENCODER.encode(value)


class ExactJSONField(models.TextField):
    """JSON stored as canonical text, so that both databases return exactly the numbers and keys that went in.

    PostgreSQL's jsonb turns 1e22 into an integer and drops the sign of -0.0. This field is for values that are
    exported again, not for queries inside them.
    """

    # For type checkers: any value goes in and comes out, not the stored text.
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
