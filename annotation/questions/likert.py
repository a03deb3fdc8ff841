"""A number on a scale of named steps."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from annotation.questions import BETTER, NumericType, SpecInvalidError, ValueInvalidError
from annotation.spec_fields import SpecField
from annotation.typed_columns import Column, whole

MOST_STEPS = 101


class Likert(NumericType):
    """An integer from `min` to `max`; machines may give any finite number."""

    key = "likert"
    label = "Scale of steps"
    level = "interval"
    spec_keys = frozenset({"min", "max", "labels", "better"})
    spec_fields = (
        SpecField("min", "Lowest step", kind="whole", required=True, begins=1),
        SpecField("max", "Highest step", kind="whole", required=True, begins=5),
        SpecField(
            "labels", "Texts of the steps", kind="labels", default_text="only numbers",
            help="One line per step, from the lowest to the highest.",
        ),
        BETTER,
    )  # fmt: skip

    def check_spec(self, spec: Mapping[str, Any]) -> None:
        super().check_spec(spec)
        least, most = spec.get("min"), spec.get("max")
        if type(least) is not int or type(most) is not int:
            raise SpecInvalidError("min and max must be integers")
        if not 1 <= most - least < MOST_STEPS:
            raise SpecInvalidError(f"max must be greater than min, with at most {MOST_STEPS} steps")
        labels = spec.get("labels")
        if labels is not None and (
            not isinstance(labels, list)
            or len(labels) != most - least + 1
            or not all(isinstance(text, str) for text in labels)
        ):
            raise SpecInvalidError(f"labels must be {most - least + 1} texts, one per step")

    def from_form(self, raw: list[str], spec: Mapping[str, Any]) -> Any:
        given = [text for text in raw if text]
        if not given:
            return None
        text = given[-1]
        plain = text.removeprefix("-")
        return int(text) if len(plain) <= 9 and plain.isascii() and plain.isdigit() else text

    def check(self, value: Any, spec: Mapping[str, Any]) -> Any:
        if type(value) is not int or not spec["min"] <= value <= spec["max"]:
            reason = gettext("must be a whole number from %(low)s to %(high)s")
            raise ValueInvalidError(reason % {"low": spec["min"], "high": spec["max"]})
        return value

    def column(self, name: str, spec: Mapping[str, Any]) -> Column:
        return whole(name)

    def column_value(self, value: Any) -> Any:
        return value

    def scale(self, spec: Mapping[str, Any]) -> tuple[float, float]:
        return (float(spec["min"]), float(spec["max"]))

    def in_words(self, value: Any, spec: Mapping[str, Any]) -> str:
        label = super().in_words(value, spec)
        return label if label in ("", str(value)) else f"{value} {label}"

    def choices(self, spec: Mapping[str, Any]) -> list[dict[str, Any]]:
        steps = range(spec["min"], spec["max"] + 1)
        labels = spec.get("labels") or [""] * len(steps)
        return [
            {"value": str(step), "label": label, "key": str(step) if 0 <= step <= 9 else ""}
            for step, label in zip(steps, labels, strict=True)
        ]


QUESTION_TYPE = Likert()
