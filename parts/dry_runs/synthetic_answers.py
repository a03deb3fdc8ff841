"""How a synthetic rater answers: by the merit of each output, as that rater sees it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from annotation.answers import Form, Sheet
from annotation.desk.form_reading import asked_of, is_asked
from annotation.models import Question
from annotation.protocols import Protocol
from annotation.questions import QuestionType, question_types

CLOSE = 0.1
"""Merits that lie closer together look equal, if a question takes ties."""
WORDS = "Made up in a dry run."
Merits = Mapping[str, float]
"""The merit of each output shown, from 0 to 1, by its key."""


class UnknownQuestionError(ValueError):
    """No synthetic rater can answer a question of this type."""


@dataclass(frozen=True)
class SyntheticRater:
    """A rater who sees an output's merit with probability `accuracy`, else anything; the first one looks better."""

    name: str
    accuracy: float
    bias: float
    seed: int

    def merits(self, item: str, sheet: Sheet) -> Merits:
        """What this rater sees of an item's outputs. The same at every call."""
        several = len(sheet.keys) > 1
        return {
            key: self.sees(item, key, self.bias if several and place == 0 else 0.0)
            for place, key in enumerate(sheet.keys)
        }

    def sees(self, item: str, key: str, more: float = 0.0) -> float:
        """What this rater sees of one output, plus `more`, from 0 to 1. The same at every call."""
        own = Random(f"{self.seed} {self.name} {item} {key}")  # noqa: S311 - reproducible, not secret
        merit = true_merit(self.seed, item, key) if own.random() < self.accuracy else own.random()
        return min(max(merit + more, 0.0), 1.0)


def true_merit(seed: int, item: str, key: str) -> float:
    """The merit of an output: half by its system, half by its item."""
    system = Random(f"{seed} system {key}").random()  # noqa: S311
    return (system + Random(f"{seed} output {item} {key}").random()) / 2  # noqa: S311


def synthetic_form(
    protocol: Protocol, questions: Sequence[Question], sheet: Sheet, merits: Merits,
    known: Mapping[str, Any] | None = None,
) -> Form:  # fmt: skip
    """The form that a rater who sees these merits would post; `known` has answers that are not made up.

    Raises UnknownQuestionError.
    """
    answers: dict[str, Any] = {}
    for question in questions:
        if not is_asked(question, answers):
            continue
        outputs = asked_of(question, sheet, protocol.asks_per)
        right = (known or {}).get(question.key)
        if right is not None and (outputs == [None] or all(output and output.key in right for output in outputs)):
            answers[question.key] = right
        elif outputs == [None]:
            answers[question.key] = _value(question, sheet, merits)
        else:
            answers[question.key] = {
                output.key: _value(question, sheet, {output.key: merits[output.key]}) for output in outputs if output
            }
    return protocol.form_of(answers, questions, sheet)


def _value(question: Question, sheet: Sheet, merits: Merits) -> Any:
    kind, spec = question_types()[question.type], question.spec
    merit = sum(merits.values()) / max(len(merits), 1) if merits else 0.5
    if kind.level in _COMPARING:
        return _COMPARING[kind.level](kind, question, merits)
    if kind.level == "text":
        return WORDS
    if kind.level == "span":
        return {"spans": [], "none": [] if spec.get("on") == "document" else list(sheet.keys)}
    choices = [choice["value"] for choice in kind.choices(spec)]
    scale = kind.scale(spec)
    if not choices and scale is not None:
        steps = kind.steps(spec) or scale
        return steps[min(int(merit * len(steps)), len(steps) - 1)]
    if not choices:
        raise UnknownQuestionError(f"Synthetic raters cannot answer questions of type {kind.key}.")
    return kind.from_form([_by_merit(choices, merit)], spec)


def _by_merit(choices: Sequence[str], merit: float) -> str:
    """The choice that this merit stands for; of true and false, true is the better one."""
    ordered = sorted(choices) if set(choices) == {"true", "false"} else choices
    return ordered[min(int(merit * len(ordered)), len(ordered) - 1)]


def _preference(kind: QuestionType, question: Question, merits: Merits) -> Any:
    best = max(merits.values())
    if kind.takes_ties(question.spec) and best - min(merits.values()) < CLOSE:
        return "tie"
    return max(merits, key=lambda key: merits[key])


def _rank(kind: QuestionType, question: Question, merits: Merits) -> Any:
    order = sorted(merits, key=lambda key: -merits[key])
    worst = kind.worst_rank(question.spec) or len(order)
    return {key: min(place, worst) for place, key in enumerate(order, start=1)}


def _best_worst(kind: QuestionType, question: Question, merits: Merits) -> Any:
    order = sorted(merits, key=lambda key: -merits[key])
    return {"best": order[0], "worst": order[-1]}


_COMPARING = {"choice": _preference, "rank": _rank, "extremes": _best_worst}
"""By the level of measurement of questions that compare outputs."""
