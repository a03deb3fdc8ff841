"""Questions on a form: their field names, what a page shows of them, and how a posted form is read.

A question is asked once a task, or, where `per` is `output` and the task shows several, once an output; then
its field's name ends in the output's letter, and its answer is {output key: value}.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation.answers import Answer, AnswersInvalidError, Form, Sheet, Shown, Unit
from annotation.questions import ValueInvalidError, question_types

if TYPE_CHECKING:
    from annotation.models import Question

PREFIX = "q-"


def field_name(question: Question, output: Shown | None = None) -> str:
    """The name of the question's form field, or of the one about `output`."""
    return f"{PREFIX}{question.key}" if output is None else f"{PREFIX}{question.key}-{output.letter}"


def is_asked(question: Question, answers: Mapping[str, Any]) -> bool:
    """Whether the question's condition (`when`) holds, given the answers to the ones before it."""
    when = question.spec.get("when")
    return when is None or answers.get(when["question"]) == when["equals"]


def asked_of(question: Question, sheet: Sheet, per: str) -> list[Shown | None]:
    """What the question is asked about: each output shown, or [None] where it is asked once."""
    each = question.spec.get("per", per) == "output" and len(sheet.outputs) > 1
    return list(sheet.outputs) if each else [None]


def read_questions(
    form: Mapping[str, list[str]], questions: Sequence[Question], sheet: Sheet, per: str
) -> dict[str, Any]:
    """The answers {question key: value} of a posted form; raises AnswersInvalidError with all that is wrong.

    `per` says how often a question is asked that does not say so itself.
    """
    answers: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for question in questions:
        if not is_asked(question, answers):
            continue  # a radio button cannot be cleared without scripts: what stands there is no answer
        outputs = asked_of(question, sheet, per)
        try:
            values = {output: _read(form, question, output, sheet) for output in outputs}
        except ValueInvalidError as problem:
            errors[question.key] = f"This answer {problem}."
            continue
        given = {output: value for output, value in values.items() if value is not None}
        missing = _unanswered(question, values, sheet) if question.required else []
        if missing:
            errors[question.key] = _missing(missing)
        elif None in given:
            answers[question.key] = given[None]
        elif given:
            answers[question.key] = {output.key: value for output, value in given.items() if output is not None}
    if errors:
        raise AnswersInvalidError(errors)
    return answers


def _read(form: Mapping[str, list[str]], question: Question, output: Shown | None, sheet: Sheet) -> Any:
    kind = question_types()[question.type]
    value = kind.read(form, field_name(question, output), question.spec, sheet)
    if value is None:
        return None
    kind.check(value, question.spec)
    kind.check_shown(value, question.spec, sheet)
    return value


def _unanswered(question: Question, values: Mapping[Shown | None, Any], sheet: Sheet) -> list[Shown | None]:
    """What still needs an answer: [None] stands for the whole question."""
    kind = question_types()[question.type]
    missing: list[Shown | None] = [output for output, value in values.items() if value is None]
    for value in values.values():
        if value is not None:
            missing.extend(kind.unanswered(value, question.spec, sheet))
    return missing


def _missing(outputs: Sequence[Shown | None]) -> str:
    letters = [output.letter for output in outputs if output is not None]
    return f"This question needs an answer for {', '.join(letters)}." if letters else "This question needs an answer."


def check_answers(
    answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet, per: str, machine: bool
) -> None:
    """Check submitted answers {question key: value}; raises AnswersInvalidError with all that is wrong.

    A machine need not answer every question, and its numbers may lie off the scale. What a value says of the
    outputs' texts is checked apart, by `check_shown`.
    """
    known = {question.key for question in questions}
    errors = {key: "is no question of this study" for key in answers if key not in known}
    for question in questions:
        if question.key in answers:
            try:
                for _, value in values_of(question, answers[question.key], sheet, per):
                    kind = question_types()[question.type]
                    (kind.check_machine if machine else kind.check)(value, question.spec)
            except ValueInvalidError as problem:
                errors[question.key] = str(problem)
            if not machine and not is_asked(question, answers):
                errors[question.key] = "is not asked after the answers before it"
        elif question.required and not machine and is_asked(question, answers):
            errors[question.key] = "needs an answer"
    if errors:
        raise AnswersInvalidError(errors)


def check_shown(
    answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet, per: str, options: Mapping[str, Any]
) -> None:
    """Check imported answers, that `check_answers` took, against the outputs shown and the study's options.

    Raises AnswersInvalidError with all that is wrong.
    """
    errors = {}
    for question in questions:
        if question.key in answers:
            kind = question_types()[question.type]
            try:
                for _, value in values_of(question, answers[question.key], sheet, per):
                    kind.check_shown(value, question.spec, sheet)
                    kind.check_options(value, question.spec, options)
            except ValueInvalidError as problem:
                errors[question.key] = str(problem)
    if errors:
        raise AnswersInvalidError(errors)


def values_of(question: Question, answer: Any, sheet: Sheet, per: str) -> Iterator[tuple[Shown | None, Any]]:
    """The single values of an answer, each with the output it is about; raises ValueInvalidError."""
    outputs = asked_of(question, sheet, per)
    if outputs == [None]:
        yield None, answer
        return
    keys = {output.key: output for output in outputs if output is not None}
    if not isinstance(answer, dict) or not set(answer) <= set(keys):
        raise ValueInvalidError("must give a value for each output that was shown")
    for key, value in answer.items():
        yield keys[key], value


def ratings_of(
    answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet, per: str, whole: Unit
) -> Iterable[Answer]:
    """The flat ratings that checked answers give; `whole` is the unit of what is asked once a task."""
    for question in questions:
        if question.key in answers:
            kind = question_types()[question.type]
            for output, value in values_of(question, answers[question.key], sheet, per):
                unit = whole if output is None else Unit(output=output.key)
                yield Answer(question, value, kind.level, kind.number(value), unit)


def form_of(answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet, per: str) -> Form:
    """The form that would give these answers."""
    form: Form = {}
    for question in questions:
        if question.key in answers:
            kind = question_types()[question.type]
            for output, value in values_of(question, answers[question.key], sheet, per):
                form.update(kind.write(value, field_name(question, output), sheet))
    return form


def fields_of(
    form: Mapping[str, list[str]], questions: Sequence[Question], sheet: Sheet, per: str, errors: Mapping[str, str]
) -> list[dict[str, Any]]:
    """What a page shows of the questions: itself, field name, output, what its type adds, the error, in order."""
    shown = []
    for question in questions:
        kind = question_types()[question.type]
        for output in asked_of(question, sheet, per):
            name = field_name(question, output)
            shown.append(
                {
                    "question": question,
                    "name": name,
                    "output": output,
                    "template": kind.template,
                    "error": errors.get(question.key, ""),
                    "when": question.spec.get("when"),
                    **kind.shown(form, name, question.spec, sheet),
                }
            )
    return shown
