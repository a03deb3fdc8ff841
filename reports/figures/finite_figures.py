"""Figures as JSON, which has no infinity: a figure that a float cannot hold is undefined and says why."""

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from agreement.arrays.large_figures import TOO_LARGE


def as_json(figures: Mapping[str, Any]) -> str:
    """The JSON of a report.

    Figures look after large values themselves. Whatever they miss must not end the report: a number that is not finite
    becomes null, and so does an interval with one; the `undefined` of the entry that has one, or else of the report,
    names it.
    """
    try:
        return _dumped(figures)
    except ValueError:
        return _dumped(_finite(figures, {}, ()))


def _dumped(figures: Any) -> str:
    return json.dumps(figures, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _finite(value: Any, undefined: dict[str, str], path: tuple[str, ...]) -> Any:
    """The value without numbers that are not finite, whose names from `path` on `undefined` gets."""
    if isinstance(value, float) and not isfinite(value):
        undefined.setdefault(".".join(path), TOO_LARGE)
        return None
    if isinstance(value, Mapping):
        return _of_entry(value, undefined, path)
    if isinstance(value, list | tuple):
        if path and path[-1].endswith("_ci") and any(isinstance(one, float) and not isfinite(one) for one in value):
            return _finite(float("inf"), undefined, path)
        return [_finite(one, undefined, (*path, str(place))) for place, one in enumerate(value)]
    return value


def _of_entry(entry: Mapping[str, Any], undefined: dict[str, str], path: tuple[str, ...]) -> dict[str, Any]:
    if isinstance(entry.get("undefined"), Mapping) or not path:
        reasons = dict(entry.get("undefined", {}))
        made = {key: _finite(one, reasons, (str(key),)) for key, one in entry.items() if key != "undefined"}
        return made | ({"undefined": reasons} if reasons or "undefined" in entry else {})
    return {key: _finite(one, undefined, (*path, str(key))) for key, one in entry.items()}
