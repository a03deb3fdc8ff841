"""The condition of a question (`when`) as two form fields: an earlier question, and its answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.questions import QuestionType, question_types
from annotation.spec_fields import FieldKind, SpecField
from managing.building.field_texts import named

TIE = ("tie", "Tie")


def condition_fields(before: Sequence[Mapping[str, Any]], asked: str) -> tuple[SpecField, ...]:
    """The fields of a condition on one of the questions `before`; the answer's only if the question `asked` is one."""
    keys = [str(one.get("key")) for one in before if one.get("key")]
    question = SpecField(
        "question", "Asked only after", "An earlier question, and the answer that opens this one.", kind="choice",
        choices=tuple((key, key) for key in keys), default_text="always asked", decides=True,
    )  # fmt: skip
    if not asked:
        return (question,)
    body = _named(before, asked)
    choices = _choices(body) if body else ()
    kind: FieldKind = "choice" if choices else "text"
    return question, SpecField("equals", "and the answer", kind=kind, choices=tuple(choices))


def condition_texts(when: Any, start: str) -> dict[str, str]:
    """The texts of the two fields."""
    given = when if isinstance(when, dict) else {}
    equals = given.get("equals")
    kind = next(iter(question_types().values()))
    texts = [] if equals is None else kind.to_form(equals)
    return {named(start, "question"): str(given.get("question") or ""), named(start, "equals"): "\n".join(texts)}


def condition_of(texts: Mapping[str, str], start: str, before: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The condition that the texts stand for; None if no question is chosen."""
    asked = texts.get(named(start, "question"), "")
    if not asked:
        return None
    text = texts.get(named(start, "equals"), "").replace("\r\n", "\n")
    body = _named(before, asked)
    kind = _type_of(body)
    if body is None or kind is None or not text:
        return {"question": asked, "equals": text or None}
    raw = [line for line in text.split("\n") if line] if kind.takes_several(body) else [text]
    return {"question": asked, "equals": kind.from_form(raw, body)}


def _named(before: Sequence[Mapping[str, Any]], key: str) -> Mapping[str, Any] | None:
    return next((one for one in before if one.get("key") == key), None)


def _type_of(body: Mapping[str, Any] | None) -> QuestionType | None:
    return question_types().get(str(body.get("type"))) if body else None


def _choices(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The answers to choose from, if the question has a list of them and takes one."""
    kind = _type_of(body)
    if kind is None or kind.takes_several(body):
        return []
    if kind.level == "choice":
        return [TIE]
    try:
        found = kind.choices(body)
    except (KeyError, TypeError, ValueError):
        return []  # its own fields are not filled in yet
    return [(one["value"], one["label"] or one["value"]) for one in found]
