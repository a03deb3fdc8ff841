"""Steps on the list of questions: each makes another body of the study file, and nothing is saved."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from annotation.questions import question_types
from files.reading.study_file import MOST_QUESTIONS
from managing.building.study_form import questions_in

Questions = list[dict[str, Any]]


@dataclass(frozen=True)
class StepTaken:
    """The body after a step, the number (from 0) of the question that it was about, and what happened, in words."""

    body: dict[str, Any]
    at: int | None = None
    said: str = ""
    is_new: bool = False
    """Whether that question has just been made."""


def take_step(body: dict[str, Any], step: str) -> StepTaken:
    """Take a step such as `add:likert` or `up:2`; anything else changes nothing."""
    name, _, argument = step.partition(":")
    questions = [dict(one) for one in questions_in(body)]
    if name == "add" and argument in question_types() and len(questions) < MOST_QUESTIONS:
        questions.append(_new(questions, argument))
        return StepTaken(body | {"questions": questions}, len(questions) - 1, f"Question {len(questions)} added.", True)
    at = int(argument) if argument.isascii() and argument.isdigit() and len(argument) < 5 else -1
    if name not in _STEPS or not 0 <= at < len(questions):
        return StepTaken(body)
    place, said = _STEPS[name](questions, at)
    return StepTaken(body | {"questions": questions}, place, said, name == "copy")


def _new(questions: Questions, kind: str) -> dict[str, Any]:
    begun = {field.key: field.begins for field in question_types()[kind].spec_fields if field.begins is not None}
    return {"key": _free_key(questions, kind), "type": kind, "text": f"Question {len(questions) + 1}", **begun}


def _free_key(questions: Questions, wanted: str) -> str:
    taken = {one.get("key") for one in questions}
    names = (wanted if number == 1 else f"{wanted}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)


def _up(questions: Questions, at: int) -> tuple[int, str]:
    return _moved(questions, at, max(at - 1, 0))


def _down(questions: Questions, at: int) -> tuple[int, str]:
    return _moved(questions, at, min(at + 1, len(questions) - 1))


def _moved(questions: Questions, at: int, to: int) -> tuple[int, str]:
    questions.insert(to, questions.pop(at))
    return to, f"Question {at + 1} is now question {to + 1}."


def _copy(questions: Questions, at: int) -> tuple[int, str]:
    again = dict(questions[at])
    again["key"] = _free_key(questions, str(again.get("key") or again.get("type")))
    questions.insert(at + 1, again)
    return at + 1, f"Question {at + 1} copied."


def _remove(questions: Questions, at: int) -> tuple[int | None, str]:
    del questions[at]
    return min(at, len(questions) - 1) if questions else None, f"Question {at + 1} removed."


_STEPS: Mapping[str, Callable[[Questions, int], tuple[int | None, str]]] = MappingProxyType(
    {"up": _up, "down": _down, "copy": _copy, "remove": _remove}
)
