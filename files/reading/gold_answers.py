"""The right answers that an item's line gives to questions of its study, with what is said about them."""

from collections.abc import Mapping
from typing import Any

from annotation.answers import Sheet
from annotation.models import Question
from annotation.questions import ValueInvalidError
from files.import_problems import FieldInvalidError
from files.reading import line_fields
from files.reading.target import AskedQuestions, ImportTarget


def checked_gold(body: Mapping[str, Any], sheet: Sheet, asked: AskedQuestions) -> dict[str, Any] | None:
    """Return {question: value}, each value as a person may give it; None if absent. Raises FieldInvalidError.

    Of a question about single outputs, the value is that of every output of the item, or {output: value}.
    """
    gold = line_fields.mapping(body, "gold")
    if gold is None:
        return None
    if not gold:
        raise FieldInvalidError("gold", "must give a value for at least one question")
    for key, value in gold.items():
        question = asked.question_of.get(key)
        if question is None:
            raise FieldInvalidError(f"gold.{key}", "is not a question of the study")
        try:
            for one in _values(question, value, sheet, asked):
                _check(question, one, sheet, asked)
        except ValueInvalidError as problem:
            raise FieldInvalidError(f"gold.{key}", str(problem)) from None
    return gold


def named_gold(gold: dict[str, Any] | None, target: ImportTarget) -> dict[str, Any] | None:
    """Checked right answers with systems by their own names."""
    if gold is None or not target.codes.are_used:
        return gold
    found = {}
    for key, value in gold.items():
        question = target.question_of[key]
        if _is_by_output(question, value, target):
            found[key] = {target.codes.named(output): one for output, one in value.items()}
        else:
            found[key] = target.codes.value(target.types[question.type].level, value)
    return found


def checked_feedback(body: Mapping[str, Any]) -> str:
    """Return what the item says about its right answers, or an empty text. Raises FieldInvalidError."""
    feedback = line_fields.text(body, "feedback") or ""
    if feedback and body.get("gold") is None:
        raise FieldInvalidError("feedback", "is about gold, which the item does not have")
    return feedback


def _values(question: Question, value: Any, sheet: Sheet, asked: AskedQuestions) -> list[Any]:
    """Return the single values of a right answer."""
    if not _is_by_output(question, value, asked):
        return [value]
    if not value or not value.keys() <= set(sheet.keys):
        raise ValueInvalidError("must name outputs of this item, each with its value")
    return list(value.values())


def _is_by_output(question: Question, value: Any, asked: AskedQuestions) -> bool:
    """Whether a right answer is {output: value}."""
    by_output = isinstance(value, dict) and asked.protocol.asks_about(question) == "output"
    return by_output and not asked.types[question.type].needs_texts


def _check(question: Question, value: Any, sheet: Sheet, asked: AskedQuestions) -> None:
    kind = asked.types[question.type]
    kind.check(value, question.spec)
    kind.check_shown(value, question.spec, sheet)
    kind.check_options(value, question.spec, asked.study.options)
