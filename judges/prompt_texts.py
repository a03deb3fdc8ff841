"""Pieces of prompts. Texts that are judged are data: each stands between two marks that it cannot contain."""

import hashlib
import math
from collections.abc import Callable, Sequence

from judges.allowed_answers import NO, YES, asks_yes_or_no
from judges.protocol import CaseOutput, CaseQuestion, Example


def fenced(name: str, text: str) -> str:
    """Return a text between two lines with `name` and a mark that is drawn from it, so that no text can end it."""
    mark = mark_of(text)
    return f"<{name} {mark}>\n{text}\n</{name} {mark}>"


def mark_of(text: str) -> str:
    """Return the mark that is drawn from a text, by which erasing finds prompts that have it."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def numbered(outputs: Sequence[CaseOutput], name: str = "output") -> str:
    """Return outputs, fenced and numbered from 1 in the order shown."""
    return "\n\n".join(fenced(f"{name} {place}", output.text) for place, output in enumerate(outputs, start=1))


def rated_examples(examples: Sequence[Example], answer: Callable[[Example], str]) -> str:
    """Return judged examples of one output or several, each followed by what `answer` returns; "" if there are none.

    The last line says that the examples end, so that what comes next is the case to be judged.
    """
    if not examples:
        return ""
    parts = []
    for place, example in enumerate(examples, start=1):
        texts = [fenced(f"example {place} document", example.document)] if example.document else []
        if example.instruction:
            texts.append(fenced(f"example {place} instruction", example.instruction))
        if len(example.outputs) == 1:
            texts.append(fenced(f"example {place} output", example.outputs[0].text))
        else:
            texts.append(numbered(example.outputs, f"example {place} output"))
        parts.append("\n\n".join([f"Example {place}:", *texts, answer(example)]))
    return "\n\n".join([*parts, "The examples end here. This is the case to judge:"])


def shown_rating(value: float, question: CaseQuestion) -> str:
    """Return an example's value as an answer: Yes or No, or the nearest whole number, a half rounded up."""
    if asks_yes_or_no(question):
        return YES if value > 0.5 else NO
    return str(math.floor(value + 0.5))


def described_answers(question: CaseQuestion) -> str:
    """Return what the answers of a question mean, one per line, or "" if the study does not say it."""
    names = {"true": YES, "false": NO} if asks_yes_or_no(question) else {}
    pairs = [
        (names.get(one, one), label)
        for one, label in zip(question.choices, question.labels, strict=False)
        if label and label != names.get(one, one)
    ]
    return "\n".join(["What the answers mean:", *(f"{one}: {label}" for one, label in pairs)]) if pairs else ""
