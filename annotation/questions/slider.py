"""A number between two bounds, set by a slider."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext

from annotation.answers import Sheet
from annotation.questions import BETTER, NumericType, SpecInvalidError, ValueInvalidError, is_number
from annotation.spec_fields import SpecField

FEW_STEPS = 11
MOST_STEPS = 100_000
LARGEST = 10**9
MOST_POINTS = 9
"""As many as there are keys for them."""
POSITIONS = 1000
"""How many steps the page's slider has if the scale is continuous."""
TYPED = re.compile(r"[+-]?([0-9]{1,10}(\.[0-9]{0,20})?|\.[0-9]{1,20})(e[+-]?[0-9]{1,3})?", re.ASCII | re.IGNORECASE)
LONGEST_TYPED = 32


class Slider(NumericType):
    """A number from `min` (0) to `max` (100): any, or one of the steps that are `step` apart from `min` on.

    No value is preset, so a slider that nobody moved is no answer. Machines may give any finite number.
    """

    key = "slider"
    label = "Slider"
    level = "interval"
    has_icc = True
    spec_keys = frozenset({"min", "max", "step", "labels", "points", "better"})
    spec_fields = (
        SpecField("min", "Lowest value", kind="number", default=0),
        SpecField("max", "Highest value", kind="number", default=100),
        SpecField("step", "Step", "Leave this empty for a continuous scale.", kind="number", least=0),
        SpecField("labels", "Texts at the ends", "Two lines: for the lowest and for the highest value.", "lines"),
        SpecField("points", "Named points", "Values that have a name and can be chosen by one key.", "numbers"),
        BETTER,
    )

    def check_spec(self, spec: Mapping[str, Any]) -> None:
        super().check_spec(spec)
        low, high = _ends(spec)
        if not is_number(low) or not is_number(high) or not -LARGEST <= low < high <= LARGEST:
            raise SpecInvalidError(f"min and max must be numbers from -{LARGEST} to {LARGEST}, and max above min")
        step = spec.get("step")
        if step is not None:
            if not is_number(step) or step <= 0 or not _is_step(high, low, step):
                raise SpecInvalidError("step must be a number above 0, and max a whole number of steps from min")
            if (_exact(high) - _exact(low)) / _exact(step) > MOST_STEPS:
                raise SpecInvalidError(f"step is too small: the scale may have at most {MOST_STEPS} steps")
        labels = spec.get("labels")
        if labels is not None and (
            not isinstance(labels, list) or len(labels) != 2 or not all(isinstance(text, str) for text in labels)
        ):
            raise SpecInvalidError("labels must be two texts, for min and for max")
        self._check_points(spec)

    def _check_points(self, spec: Mapping[str, Any]) -> None:
        points = spec.get("points")
        if points is None:
            return
        if not isinstance(points, dict) or not points or not all(isinstance(text, str) and text for text in points):
            raise SpecInvalidError("points must give a number for each text: {text: number}")
        try:
            for number in points.values():
                self.check(number, spec)
        except ValueInvalidError as problem:
            raise SpecInvalidError(f"each number of points {problem}") from None
        if len(set(points.values())) != len(points) or len(points) > MOST_POINTS:
            raise SpecInvalidError(f"points must be at most {MOST_POINTS} different numbers")

    def from_form(self, raw: list[str], spec: Mapping[str, Any]) -> Any:
        text = raw[-1].strip() if raw else ""
        if not text or len(text) > LONGEST_TYPED or not TYPED.fullmatch(text):
            return text or None
        exact = Fraction(text)
        return int(exact) if exact.denominator == 1 else float(text)

    def longest(self, spec: Mapping[str, Any], sheet: Sheet) -> int:
        return LONGEST_TYPED

    def check(self, value: Any, spec: Mapping[str, Any]) -> Any:
        low, high = _ends(spec)
        if not is_number(value) or not low <= value <= high:
            raise ValueInvalidError(gettext("must be a number from %(low)s to %(high)s") % {"low": low, "high": high})
        step = spec.get("step")
        if step is not None and not _is_step(value, low, step):
            reason = gettext("must be a whole number of steps of %(step)s from %(low)s")
            raise ValueInvalidError(reason % {"step": step, "low": low})
        return value

    def scale(self, spec: Mapping[str, Any]) -> tuple[float, float]:
        low, high = _ends(spec)
        return (float(low), float(high))

    def step(self, spec: Mapping[str, Any]) -> float | None:
        step: float | None = spec.get("step")
        return step

    def steps(self, spec: Mapping[str, Any]) -> tuple[int | float, ...]:
        """Return the numbers to choose from if they are few enough to be counted one by one."""
        found = super().steps(spec)
        return found if len(found) <= FEW_STEPS else ()

    def far_apart(self, spec: Mapping[str, Any]) -> float:
        low, high = self.scale(spec)
        return max((high - low) / 10, self.step(spec) or 0.0)

    def shown(self, form: Mapping[str, list[str]], name: str, spec: Mapping[str, Any], sheet: Sheet) -> dict[str, Any]:
        low, high = _ends(spec)
        points = sorted((spec.get("points") or {}).items(), key=lambda point: point[1])
        width = _exact(high) - _exact(low)
        places = {text: float(100 * (_exact(number) - _exact(low)) / width) for text, number in points}
        given = form.get(name, [])
        return {
            "choices": [],
            "value": given[-1] if given else "",
            "low": str(low),
            "high": str(high),
            "step": str(spec.get("step") or "any"),
            "slide": str(spec.get("step") or float(width / POSITIONS)),
            "ends": spec.get("labels") or [],
            "named": [text for text, _ in points],
            "points": [
                {"text": text, "value": str(number), "at": f"{places[text]:.3f}%", "key": str(place)}
                for place, (text, number) in enumerate(points, 1)
            ],
        }

    def in_words(self, value: Any, spec: Mapping[str, Any]) -> str:
        named = {number: text for text, number in (spec.get("points") or {}).items()}
        return f"{value} {named[value]}" if value in named else str(value)


def _ends(spec: Mapping[str, Any]) -> tuple[Any, Any]:
    return spec.get("min", 0), spec.get("max", 100)


def _is_step(number: float, low: float, step: float) -> bool:
    return (_exact(number) - _exact(low)) % _exact(step) == 0


def _exact(number: float) -> Fraction:
    """Return a number as it is written: 0.3 is three steps of 0.1, which their sum as floats is not."""
    return Fraction(repr(number))


QUESTION_TYPE = Slider()
