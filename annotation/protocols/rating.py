"""Rating (riSum): every output by itself, against its document and instruction."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

from annotation.asking import asked, check_answers, field_name, read_questions
from annotation.models.study import Question
from annotation.protocols import Answer, Protocol, StudyInvalidError, TaskPlan, Unit
from annotation.questions import question_types


class RatingProtocol(Protocol):
    """One task an output; an item's outputs stay with the same raters unless `same_raters: false`."""

    key = "rating"
    label = "Rating of single outputs"
    question_types = frozenset({"binary", "likert", "category", "text"})

    def check_study(self, questions: Sequence[Question], options: Mapping[str, Any]) -> None:
        for question in questions:
            if question.spec.get("per", "output") not in ("output", "task"):
                raise StudyInvalidError(f"question {question.key}: per must be output or task")

    def plan(self, outputs: Sequence[str], options: Mapping[str, Any]) -> list[TaskPlan]:
        return [TaskPlan(outputs=(key,)) for key in outputs]

    def orders(self, count: int, slots: int, random: Random) -> list[list[int]]:
        return [list(range(count)) for _ in range(slots)]

    def keeps_raters(self, options: Mapping[str, Any]) -> bool:
        return bool(options.get("same_raters", True))

    def read_form(
        self, form: Mapping[str, list[str]], questions: Sequence[Question], shown: Sequence[str]
    ) -> dict[str, Any]:
        return read_questions(form, questions)

    def check_answers(
        self, answers: Mapping[str, Any], questions: Sequence[Question], shown: Sequence[str], machine: bool
    ) -> None:
        check_answers(answers, questions, machine)

    def ratings(
        self, answers: Mapping[str, Any], questions: Sequence[Question], shown: Sequence[str]
    ) -> Iterable[Answer]:
        types = question_types()
        for question in questions:
            if question.key not in answers:
                continue
            kind, value = types[question.type], answers[question.key]
            yield Answer(question, value, kind.level, kind.number(value), Unit(output=shown[0]))

    def fields(
        self, raw: Mapping[str, list[str]], questions: Sequence[Question], errors: Mapping[str, str]
    ) -> list[dict[str, Any]]:
        return [asked(question, raw, errors) for question in questions]

    def form_of(self, answers: Mapping[str, Any], questions: Sequence[Question]) -> dict[str, list[str]]:
        types = question_types()
        return {
            field_name(question): types[question.type].to_form(answers[question.key])
            for question in questions
            if question.key in answers
        }


PROTOCOL = RatingProtocol()
