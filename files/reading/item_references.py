"""The keys `reference` and `references` of an item's line: texts that judges read, and raters never."""

from collections.abc import Mapping
from typing import Any

from config.model_fields import canonical_json
from files.import_problems import FieldInvalidError, quoted
from files.reading.line_fields import identifier

REFERENCE_KEYS = frozenset({"id", "text", "writer"})
WRITERS = ("human", "model")


def read_references(body: Mapping[str, Any]) -> str | None:
    """Return the item's references as JSON, checked; None without any. Raises FieldInvalidError."""
    short, given = body.get("reference"), body.get("references")
    if short is not None:
        if given is not None:
            raise FieldInvalidError("reference", "cannot be used together with references")
        given = [{"id": "reference", "text": short, "writer": "human"}]
    if given is None:
        return None
    if not isinstance(given, list):
        raise FieldInvalidError("references", "must be a list")
    seen = set()
    for number, reference in enumerate(given):
        field = f"references.{number}" if short is None else "reference"
        if not isinstance(reference, dict) or not reference.keys() <= REFERENCE_KEYS:
            raise FieldInvalidError(field, "must be an object with id, text and writer")
        key = identifier(reference.get("id"), f"{field}.id")
        if key in seen:
            raise FieldInvalidError(f"{field}.id", f"{quoted(key)} appears twice")
        seen.add(key)
        if not isinstance(reference.get("text"), str):
            raise FieldInvalidError(f"{field}.text" if short is None else field, "must be text")
        if reference.get("writer") not in WRITERS:
            raise FieldInvalidError(f"{field}.writer", "must be human or model")
    return canonical_json(given)
