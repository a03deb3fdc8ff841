"""Questions on a form: names of fields, data for the page, and reading of a posted form.

A question is asked once per task. If its `per` is `output` and the task shows several outputs, it is asked once per
output: then its field's name ends in the output's letter, and its answer is {output key: value}.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext

from annotation.answers import Answer, AnswersInvalidError, Form, Sheet, ShownOutput, Unit
from annotation.questions import ValueInvalidError, question_types

if TYPE_CHECKING:
    from annotation.models import Question

PREFIX = "q-"
LONGEST_NAME = 150
"""More than the name of any field has: a question's key, and the letter of an output."""


def field_name(question: Question, output: ShownOutput | None = None) -> str:
    """The name of the question's form field, or of its field about `output`."""
    return f"{PREFIX}{question.key}" if output is None else f"{PREFIX}{question.key}-{output.letter}"


def is_asked(question: Question, answers: Mapping[str, Any]) -> bool:
    """Whether the question's condition (`when`) holds, given the answers to the ones before it."""
    when = question.spec.get("when")
    return when is None or answers.get(when["question"]) == when["equals"]


def asked_of(question: Question, sheet: Sheet, per: str) -> list[ShownOutput | None]:
    """The outputs that the question is asked about, or [None] if it is asked once."""
    each = question.spec.get("per", per) == "output" and len(sheet.outputs) > 1
    return list(sheet.outputs) if each else [None]


def _read(form: Mapping[str, list[str]], question: Question, output: ShownOutput | None, sheet: Sheet) -> Any:
    kind = question_types()[question.type]
    value = kind.read(form, field_name(question, output), question.spec, sheet)
    if value is None:
        return None
    kind.check(value, question.spec)
    kind.check_shown(value, question.spec, sheet)
    return value


def _unanswered(question: Question, values: Mapping[ShownOutput | None, Any], sheet: Sheet) -> list[ShownOutput | None]:
    """The outputs that still need an answer; [None] means the question as a whole."""
    kind = question_types()[question.type]
    missing: list[ShownOutput | None] = [output for output, value in values.items() if value is None]
    for value in values.values():
        if value is not None:
            missing.extend(kind.unanswered(value, question.spec, sheet))
    return missing


def _missing(outputs: Sequence[ShownOutput | None]) -> str:
    letters = [output.letter for output in outputs if output is not None]
    if letters:
        return gettext("This question needs an answer for %(letters)s.") % {"letters": ", ".join(letters)}
    return gettext("This question needs an answer.")


def values_of(question: Question, answer: Any, sheet: Sheet, per: str) -> Iterator[tuple[ShownOutput | None, Any]]:
    """The single values of an answer, each with the output it is about; raises ValueInvalidError.

    They come in the order of the sheet: stored answers are sorted by the outputs' names.
    """
    outputs = asked_of(question, sheet, per)
    if outputs == [None]:
        yield None, answer
        return
    shown = [output for output in outputs if output is not None]
    if not isinstance(answer, dict) or not set(answer) <= {output.key for output in shown}:
        raise ValueInvalidError("must give a value for each output that was shown")
    for output in shown:
        if output.key in answer:
            yield output, answer[output.key]


class AnswerForms:
    """Forms that consist of the study's questions, each asked once per task or once per output.

    A protocol overrides a method only if its questions alone do not describe its page.
    """

    asks_per = "task"
    """How often a question is asked by default: once per `task` or once per `output`."""

    own_fields_longest = 0
    """The most characters in the fields that the protocol's page has beside its questions."""

    def whole(self, sheet: Sheet) -> Unit:
        """Return the unit of questions that are asked once per task."""
        return Unit()

    def read_form(self, form: Mapping[str, list[str]], questions: Sequence[Question], sheet: Sheet) -> dict[str, Any]:
        """The answers {question key: value} of a posted form, with outputs named by their keys.

        Raises AnswersInvalidError with all errors.
        """
        answers: dict[str, Any] = {}
        errors: dict[str, str] = {}
        for question in questions:
            if not is_asked(question, answers):
                continue  # without scripts a radio button cannot be cleared: its value is no answer
            outputs = asked_of(question, sheet, self.asks_per)
            try:
                values = {output: _read(form, question, output, sheet) for output in outputs}
            except ValueInvalidError as problem:
                errors[question.key] = gettext("This answer %(problem)s.") % {"problem": problem}
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

    def ratings(self, answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet) -> Iterable[Answer]:
        """The flat ratings that checked answers give."""
        for question in questions:
            if question.key in answers:
                kind = question_types()[question.type]
                for output, value in values_of(question, answers[question.key], sheet, self.asks_per):
                    unit = self.whole(sheet) if output is None else Unit(output=output.key)
                    yield Answer(question, value, kind.level, kind.number(value), unit)

    def check_answers(
        self, answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet, machine: bool
    ) -> None:
        """Raise AnswersInvalidError with all errors if submitted answers, as files hold them, do not fit the questions.

        A machine need not answer every question, and its numbers may be off the scale. `check_shown` checks values that
        refer to the outputs' texts.
        """
        known = {question.key for question in questions}
        errors = {key: "is not a question of this study" for key in answers if key not in known}
        for question in questions:
            if question.key in answers:
                try:
                    for _, value in values_of(question, answers[question.key], sheet, self.asks_per):
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
        self, answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet, options: Mapping[str, Any]
    ) -> None:
        """Check answers from a file that passed `check_answers` against the outputs shown and the study's options.

        Raises AnswersInvalidError with all errors.
        """
        errors = {}
        for question in questions:
            if question.key in answers:
                kind = question_types()[question.type]
                try:
                    for _, value in values_of(question, answers[question.key], sheet, self.asks_per):
                        kind.check_shown(value, question.spec, sheet)
                        kind.check_options(value, question.spec, options)
                except ValueInvalidError as problem:
                    errors[question.key] = str(problem)
        if errors:
            raise AnswersInvalidError(errors)

    def form_of(self, answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet) -> Form:
        """The form that would give these answers, for editing a saved answer."""
        form: Form = {}
        for question in questions:
            if question.key in answers:
                kind = question_types()[question.type]
                for output, value in values_of(question, answers[question.key], sheet, self.asks_per):
                    form.update(kind.write(value, field_name(question, output), sheet))
        return form

    def longest_form(self, questions: Sequence[Question], sheet: Sheet) -> int:
        """The most characters that a form of these questions can have, names of fields included."""
        fields_per_question = 1 + max(1, len(sheet.outputs))
        return self.own_fields_longest + sum(
            question_types()[question.type].longest(question.spec, sheet) + LONGEST_NAME * fields_per_question
            for question in questions
            for _ in asked_of(question, sheet, self.asks_per)
        )

    def fields(
        self, form: Mapping[str, list[str]], questions: Sequence[Question], sheet: Sheet, errors: Mapping[str, str]
    ) -> list[dict[str, Any]]:
        """The questions for the page, in order: each with its field name, output, error, and what its type adds."""
        shown = []
        for question in questions:
            kind = question_types()[question.type]
            for output in asked_of(question, sheet, self.asks_per):
                name, error = field_name(question, output), errors.get(question.key, "")
                shown.append(
                    {
                        "question": question,
                        "name": name,
                        "output": output,
                        "template": kind.template,
                        "error": error,
                        "must_read": error not in ("", _missing(())),  # a sign tells that an answer is missing
                        "when": question.spec.get("when"),
                        **kind.shown(form, name, question.spec, sheet),
                    }
                )
        return shown
