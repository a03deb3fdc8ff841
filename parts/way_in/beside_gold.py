"""An answer to a practice task beside the right one, question by question, in the words and letters of the page."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from annotation.answers import Sheet
from annotation.models import Question
from annotation.protocols import protocols
from annotation.questions import question_types
from parts.way_in.gold_checks import gold_of
from parts.way_in.models import PracticeAnswer


def comparison(answer: PracticeAnswer) -> dict[str, Any]:
    """Return the context of the page: the texts, and for each question one's own answer and the right one."""
    item, study = answer.item, answer.passage.rater.study
    protocol = protocols()[study.protocol]
    text_of = dict(item.outputs.values_list("key", "text"))
    sheet = Sheet.of(answer.shown, [text_of[key] for key in answer.shown], item.document)
    questions = list(study.questions.order_by("position"))
    gold = {
        question.key: right
        for question in questions
        if (right := gold_of(question, item.gold or {}, answer.shown, protocol.asks_per)) is not None
    }
    rows = [
        {
            "question": question.text or question.key,
            "mine": in_words(question, answer.answers.get(question.key), sheet),
            "right": in_words(question, gold[question.key], sheet) if question.key in gold else "",
            "has_right": question.key in gold,
            "is_right": answer.checks.get(question.key),
        }
        for question in questions
        if question.key in answer.answers or question.key in gold
    ]
    return {"item": item, "outputs": sheet.outputs, "rows": rows, "feedback": item.feedback}


def in_words(question: Question, value: Any, sheet: Sheet) -> str:
    """Return an answer in words, with outputs by their letters."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        if "spans" in value:
            spans = sorted(value["spans"], key=lambda one: (_name(one.get("output", ""), sheet), one["start"]))
            return "; ".join(_span(one, sheet) for one in spans) or gettext("nothing marked")
        said = {_name(key, sheet): in_words(question, one, sheet) for key, one in value.items()}
        return ", ".join(f"{name}: {words}" for name, words in sorted(said.items()))
    if isinstance(value, str) and (letter := sheet.letter_of(value)):
        return letter
    words = question_types()[question.type].in_words(value, question.spec)
    return words or str(value)


def _name(key: str, sheet: Sheet) -> str:
    return sheet.letter_of(key) or key


def _span(span: Mapping[str, Any], sheet: Sheet) -> str:
    place = f"{_name(span['output'], sheet)}: " if "output" in span else ""
    label = f" ({span['label']})" if span.get("label") else ""
    return f"{place}“{span['text']}”{label}"
