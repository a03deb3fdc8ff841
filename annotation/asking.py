"""Questions on a form: their field names, what a page shows of them, and how a posted form is read.

Shared by the protocols; what a protocol asks in its own way it reads in its own module.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models.study import Question
from annotation.protocols import AnswersInvalidError
from annotation.questions import ValueInvalidError, question_types

PREFIX = "q-"


def field_name(question: Question) -> str:
    """The name of the question's form field."""
    return PREFIX + question.key


def is_asked(question: Question, answers: Mapping[str, Any]) -> bool:
    """Whether the question's condition (`when`) holds, given the answers to the ones before it."""
    when = question.spec.get("when")
    return when is None or answers.get(when["question"]) == when["equals"]


def read_questions(form: Mapping[str, list[str]], questions: Sequence[Question]) -> dict[str, Any]:
    """The answers {question key: value} of a posted form; raises AnswersInvalidError with all that is wrong."""
    types = question_types()
    answers: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for question in questions:
        kind = types[question.type]
        value = kind.from_form(form.get(field_name(question), []), question.spec)
        if not is_asked(question, answers):
            if value is not None:
                errors[question.key] = "This question is not asked after the answers before it: clear it."
            continue
        if value is None:
            if question.required:
                errors[question.key] = "This question needs an answer."
            continue
        try:
            answers[question.key] = kind.check(value, question.spec)
        except ValueInvalidError as problem:
            errors[question.key] = f"This answer {problem}."
    if errors:
        raise AnswersInvalidError(errors)
    return answers


def check_answers(answers: Mapping[str, Any], questions: Sequence[Question], machine: bool) -> None:
    """Check submitted answers {question key: value}; raises AnswersInvalidError with all that is wrong.

    A machine need not answer every question, and its numbers may lie off the scale.
    """
    types, known = question_types(), {question.key for question in questions}
    errors = {key: "is no question of this study" for key in answers if key not in known}
    for question in questions:
        if question.key in answers:
            kind, value = types[question.type], answers[question.key]
            try:
                (kind.check_machine if machine else kind.check)(value, question.spec)
            except ValueInvalidError as problem:
                errors[question.key] = str(problem)
            if not machine and not is_asked(question, answers):
                errors[question.key] = "is not asked after the answers before it"
        elif question.required and not machine and is_asked(question, answers):
            errors[question.key] = "needs an answer"
    if errors:
        raise AnswersInvalidError(errors)


def asked(question: Question, raw: Mapping[str, list[str]], errors: Mapping[str, str]) -> dict[str, Any]:
    """What a page shows of a question: itself, field name, choices with `chosen`, the raw value, the error."""
    kind = question_types()[question.type]
    name = field_name(question)
    given = raw.get(name, [])
    choices = [{**choice, "chosen": choice["value"] in given} for choice in kind.choices(question.spec)]
    return {
        "question": question,
        "name": name,
        "template": kind.template,
        "choices": choices,
        "value": given[-1] if given else "",
        "error": errors.get(question.key, ""),
        "when": question.spec.get("when"),
    }
