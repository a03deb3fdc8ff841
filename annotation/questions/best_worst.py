"""The best and the worst of the outputs shown (best-worst scaling)."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from annotation.answers import Form, Sheet
from annotation.questions import QuestionType, SpecInvalidError, ValueInvalidError
from annotation.typed_columns import Column, record, text

SIDES = {"best": "B", "worst": "W"}
"""What ends the names of the two fields. A question of listwise studies may not have a key that ends so, too."""


class BestWorst(QuestionType):
    """{"best": output key, "worst": key of another output}. On a form: their letters, in two fields."""

    key = "best_worst"
    label = "Best and worst"
    level = "extremes"
    needs_outputs = True

    def check_spec(self, spec: Mapping[str, Any]) -> None:
        if spec.get("per", "task") != "task":
            raise SpecInvalidError("per must be task: the best and the worst are chosen from all outputs")

    def read(self, form: Mapping[str, list[str]], name: str, spec: Mapping[str, Any], sheet: Sheet) -> Any:
        given = {side: letter for side, letter in _given(form, name).items() if letter}
        if not given:
            return None
        found = {side: sheet.key_of(letter) for side, letter in given.items()}
        for side, key in found.items():
            if key is None:
                letters = ", ".join(output.letter for output in sheet.outputs)
                raise ValueInvalidError(_strange(side) % {"letters": letters})
        missing = [side for side in SIDES if side not in found]
        if missing:
            raise ValueInvalidError(_lacking(missing[0]))
        if found["best"] == found["worst"]:
            reason = gettext("gives %(letter)s as best and as worst: choose two different outputs")
            raise ValueInvalidError(reason % {"letter": given["best"]})
        return found

    def write(self, value: Any, name: str, sheet: Sheet) -> Form:
        letters = {side: sheet.letter_of(value[side]) for side in SIDES}
        return {f"{name}-{end}": [letter] for side, end in SIDES.items() if (letter := letters[side]) is not None}

    def shown(self, form: Mapping[str, list[str]], name: str, spec: Mapping[str, Any], sheet: Sheet) -> dict[str, Any]:
        given = _given(form, name)
        rows = [
            {
                "side": side,
                "title": gettext("Best") if side == "best" else gettext("Worst"),
                "name": f"{name}-{end}",
                "key": str(place),
                "choices": [
                    {"letter": output.letter, "chosen": output.letter == given[side]} for output in sheet.outputs
                ],
            }
            for place, (side, end) in enumerate(SIDES.items(), 1)
        ]
        names = {"best": gettext("best"), "worst": gettext("worst")}
        said = ", ".join(f"{letter} {names[side]}" for side, letter in given.items() if letter)
        return {"choices": [], "value": said, "rows": rows}

    def column(self, name: str, spec: Mapping[str, Any]) -> Column:
        return record(name, "", *(text(side) for side in SIDES))

    def longest(self, spec: Mapping[str, Any], sheet: Sheet) -> int:
        return len(SIDES) * max((len(output.letter) for output in sheet.outputs), default=1)

    def check(self, value: Any, spec: Mapping[str, Any]) -> Any:
        if not is_best_worst(value):
            raise ValueInvalidError('must be {"best": output id, "worst": output id}')
        if value["best"] == value["worst"]:
            raise ValueInvalidError("names the same output as best and as worst")
        return value

    def check_shown(self, value: Any, spec: Mapping[str, Any], sheet: Sheet) -> None:
        for side in SIDES:
            if value[side] not in sheet.keys:
                raise ValueInvalidError(f"names {value[side]!r} as {side}, which is not an output shown")


def is_best_worst(value: Any) -> bool:
    """Return whether a value names two outputs as best and worst; a ranking of outputs so called has numbers."""
    return isinstance(value, dict) and set(value) == set(SIDES) and all(isinstance(key, str) for key in value.values())


def _given(form: Mapping[str, list[str]], name: str) -> dict[str, str]:
    return {side: form.get(f"{name}-{end}", [""])[-1].strip() for side, end in SIDES.items()}


def _strange(side: str) -> str:
    if side == "best":
        return gettext("names a best output that was not shown: choose one of %(letters)s")
    return gettext("names a worst output that was not shown: choose one of %(letters)s")


def _lacking(side: str) -> str:
    if side == "best":
        return gettext("lacks the best output: choose it, too")
    return gettext("lacks the worst output: choose it, too")


QUESTION_TYPE = BestWorst()
