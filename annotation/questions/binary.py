"""Yes or no."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext, gettext_noop

from annotation.questions import QuestionType, SpecInvalidError, ValueInvalidError, finite_number
from annotation.spec_fields import SpecField
from annotation.typed_columns import Column, yes_no

TEXTS = (gettext_noop("Yes"), gettext_noop("No"))


class Binary(QuestionType):
    """`true` or `false`; machines may give any finite number, on a scale from 0 to 1."""

    key = "binary"
    label = "Yes or no"
    level = "nominal"
    spec_keys = frozenset({"labels"})
    spec_fields = (
        SpecField(
            "labels", "Texts of the two choices", kind="labels", default=list(TEXTS),
            help="Two lines: the text for yes, then the text for no.",
        ),
    )  # fmt: skip

    def check_spec(self, spec: Mapping[str, Any]) -> None:
        labels = spec.get("labels")
        if labels is None:
            return
        if isinstance(labels, dict):
            fits = set(labels) == {True, False} or set(labels) == {"true", "false"}
            texts = list(labels.values())
        else:
            texts = labels if isinstance(labels, list) else []
            fits = len(texts) == 2
        if not fits or not all(isinstance(text, str) and text for text in texts):
            raise SpecInvalidError("labels must give a text for true and one for false")

    def from_form(self, raw: list[str], spec: Mapping[str, Any]) -> Any:
        given = [text for text in raw if text]
        if not given:
            return None
        return {"true": True, "false": False}.get(given[-1], given[-1])

    def check(self, value: Any, spec: Mapping[str, Any]) -> Any:
        if not isinstance(value, bool):
            raise ValueInvalidError("must be true or false")
        return value

    def check_machine(self, value: Any, spec: Mapping[str, Any]) -> Any:
        finite_number(value)
        return value

    def column(self, name: str, spec: Mapping[str, Any]) -> Column:
        return yes_no(name)

    def number(self, value: Any) -> float | None:
        return finite_number(value)

    def scale(self, spec: Mapping[str, Any]) -> tuple[float, float]:
        return (0.0, 1.0)

    def choices(self, spec: Mapping[str, Any]) -> list[dict[str, Any]]:
        labels = spec.get("labels") or [gettext(text) for text in TEXTS]
        if isinstance(labels, dict):
            labels = [labels.get(True, labels.get("true")), labels.get(False, labels.get("false"))]
        return [
            {"value": "true", "label": labels[0], "key": "y"},
            {"value": "false", "label": labels[1], "key": "n"},
        ]


QUESTION_TYPE = Binary()
