"""Which of two outputs is better."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from annotation.answers import Form, Sheet
from annotation.questions import QuestionType, SpecInvalidError, ValueInvalidError
from annotation.spec_fields import SpecField
from annotation.typed_columns import Column, text_column

TIE = "tie"
KEYS = ("arrowleft", "arrowright")
TIE_KEY = "arrowdown"


class Preference(QuestionType):
    """The key of the better output, or `"tie"` unless `allow_tie` is false. On a form: its letter."""

    key = "preference"
    label = "Better of two"
    level = "choice"
    spec_keys = frozenset({"allow_tie"})
    spec_fields = (SpecField("allow_tie", "Ties are allowed", kind="truth", default=True),)
    needs_outputs = True

    def check_spec(self, spec: Mapping[str, Any]) -> None:
        if not isinstance(spec.get("allow_tie", True), bool):
            raise SpecInvalidError("allow_tie must be true or false")

    def read(self, form: Mapping[str, list[str]], name: str, spec: Mapping[str, Any], sheet: Sheet) -> Any:
        given = self.from_form(form.get(name, []), spec)
        if given is None or given == TIE:
            return given
        key = sheet.key_of(given)
        if key is None:
            letters = ", ".join(output.letter for output in sheet.outputs)
            reason = gettext("is not one of the outputs shown: choose one of %(letters)s")
            raise ValueInvalidError(reason % {"letters": letters})
        return key

    def write(self, value: Any, name: str, sheet: Sheet) -> Form:
        letter = TIE if value == TIE else sheet.letter_of(value)
        return {} if letter is None else {name: [letter]}

    def column(self, name: str, spec: Mapping[str, Any]) -> Column:
        return text_column(name)

    def check(self, value: Any, spec: Mapping[str, Any]) -> Any:
        if not isinstance(value, str) or not value:
            raise ValueInvalidError("must be the id of the better output" + _or_tie(spec))
        if value == TIE and not spec.get("allow_tie", True):
            raise ValueInvalidError(gettext("must be one of the outputs: this question does not allow ties"))
        return value

    def check_shown(self, value: Any, spec: Mapping[str, Any], sheet: Sheet) -> None:
        if value != TIE and value not in sheet.keys:
            raise ValueInvalidError("must be one of the outputs compared" + _or_tie(spec))

    def takes_ties(self, spec: Mapping[str, Any]) -> bool:
        return bool(spec.get("allow_tie", True))

    def shown(self, form: Mapping[str, list[str]], name: str, spec: Mapping[str, Any], sheet: Sheet) -> dict[str, Any]:
        given = form.get(name, [])
        outputs = [
            {"value": output.letter, "label": gettext("%(letter)s is better") % {"letter": output.letter}, "key": key}
            for output, key in zip(sheet.outputs, KEYS, strict=False)
        ]
        ties = [{"value": TIE, "label": gettext("Tie"), "key": TIE_KEY}] if spec.get("allow_tie", True) else []
        choices = [*outputs[:1], *ties, *outputs[1:]]
        return {
            "choices": [{**choice, "chosen": choice["value"] in given} for choice in choices],
            "value": given[-1] if given else "",
        }


def _or_tie(spec: Mapping[str, Any]) -> str:
    return f', or "{TIE}"' if spec.get("allow_tie", True) else ""


QUESTION_TYPE = Preference()
