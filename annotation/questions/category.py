"""One or several of the named choices."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from annotation.questions import QuestionType, SpecInvalidError, ValueInvalidError
from annotation.spec_fields import SpecField
from annotation.typed_columns import Column, text, texts


class Category(QuestionType):
    """One of `choices`, or a list of them if `multiple` is true; [] says that none applies, and is only imported."""

    key = "category"
    label = "Choices"
    level = "nominal"
    spec_keys = frozenset({"choices", "multiple"})
    spec_fields = (
        SpecField(
            "choices", "Choices", kind="lines", required=True, begins=["First choice", "Second choice"],
            help="One per line, at least two. The text is also what files hold.",
        ),
        SpecField("multiple", "Several can be chosen", kind="truth", default=False),
    )  # fmt: skip

    def check_spec(self, spec: Mapping[str, Any]) -> None:
        choices = spec.get("choices")
        if (
            not isinstance(choices, list)
            or len(choices) < 2
            or not all(isinstance(choice, str) and choice for choice in choices)
            or len(set(choices)) != len(choices)
        ):
            raise SpecInvalidError("choices must be a list of at least two different texts")
        if not isinstance(spec.get("multiple", False), bool):
            raise SpecInvalidError("multiple must be true or false")

    def from_form(self, raw: list[str], spec: Mapping[str, Any]) -> Any:
        given = [text for text in raw if text]
        if not given:
            return None
        return given if spec.get("multiple") else given[-1]

    def check(self, value: Any, spec: Mapping[str, Any]) -> Any:
        if spec.get("multiple"):
            if not isinstance(value, list):
                raise ValueInvalidError("must be a list of the choices")
            if len({str(v) for v in value}) != len(value):
                raise ValueInvalidError(gettext("names a choice twice"))
        for one in value if spec.get("multiple") else [value]:
            if not isinstance(one, str) or one not in spec["choices"]:
                raise ValueInvalidError(
                    gettext("must be one of: %(choices)s") % {"choices": ", ".join(spec["choices"])}
                )
        return value

    def column(self, name: str, spec: Mapping[str, Any]) -> Column:
        return texts(name) if spec.get("multiple") else text(name)

    def takes_several(self, spec: Mapping[str, Any]) -> bool:
        return bool(spec.get("multiple"))

    def choices(self, spec: Mapping[str, Any]) -> list[dict[str, Any]]:
        return [
            {"value": choice, "label": choice, "key": str(number) if number <= 9 else ""}
            for number, choice in enumerate(spec["choices"], 1)
        ]


QUESTION_TYPE = Category()
