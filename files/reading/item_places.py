"""The key `places` of an item's line: which places its tasks have, where a researcher added or cancelled some."""

from collections.abc import Collection, Mapping
from typing import Any

from config.model_fields import canonical_json
from files.import_problems import FieldInvalidError, quoted
from files.reading import line_fields
from files.reading.system_codes import SystemCodes

KEYS = frozenset({"outputs", "variant", "numbers", "third_raters"})
MOST_PLACES = 1000
"""As `annotation.studies.slot_steps` allows."""
LONGEST_VARIANT = 240


def read_places(body: Mapping[str, Any], outputs: Collection[str], codes: SystemCodes) -> str | None:
    """Return the item's `places` as JSON, checked, with systems' own names; None without any.

    Raises FieldInvalidError.
    """
    given = body.get("places")
    if given is None:
        return None
    if not isinstance(given, list):
        raise FieldInvalidError("places", "must be a list")
    found = [_task(one, f"places.{number}", outputs) for number, one in enumerate(given)]
    tasks = [(tuple(one["outputs"]), one.get("variant", "")) for one in found]
    if len(set(tasks)) < len(tasks):
        raise FieldInvalidError("places", "names a task twice")
    for one in found if codes.are_used else ():  # a task's outputs are in the order of the item's, and not of codes
        one["outputs"] = codes.all_named([key for key in outputs if key in one["outputs"]])
        one.update({"variant": codes.named(one["variant"])} if "variant" in one else {})
    return canonical_json(found) if found else None


def _task(one: Any, field: str, known: Collection[str]) -> dict[str, Any]:
    if not isinstance(one, dict):
        raise FieldInvalidError(field, "must be an object with outputs and numbers")
    try:
        line_fields.only(one, KEYS)
        outputs = line_fields.keys(one, "outputs")
        variant = line_fields.text(one, "variant", LONGEST_VARIANT)
    except FieldInvalidError as problem:
        raise FieldInvalidError(f"{field}.{problem.field}", problem.reason) from None
    if outputs is None:
        raise FieldInvalidError(f"{field}.outputs", "is missing")
    for key in outputs:
        if key not in known:
            raise FieldInvalidError(f"{field}.outputs", f"{quoted(key)} is not an output of this item")
    numbers = _numbers(one.get("numbers"), f"{field}.numbers")
    third = _numbers(one.get("third_raters", []), f"{field}.third_raters")
    if not set(third) <= set(numbers):
        raise FieldInvalidError(f"{field}.third_raters", "must be some of numbers")
    return {
        "outputs": list(outputs), **({"variant": variant} if variant else {}), "numbers": numbers,
        **({"third_raters": third} if third else {}),
    }  # fmt: skip


def _numbers(given: Any, field: str) -> list[int]:
    whole = isinstance(given, list) and all(type(one) is int and 0 <= one < MOST_PLACES for one in given)
    if not whole or len(set(given)) < len(given):
        raise FieldInvalidError(field, f"must be a list of different whole numbers from 0 to {MOST_PLACES - 1}")
    return sorted(given)
