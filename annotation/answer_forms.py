"""How a posted form becomes answers, and answers become ratings and a form again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation.answers import Answer, Form, Sheet, Unit
from annotation.desk import form_reading

if TYPE_CHECKING:
    from annotation.models import Question


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

        Raises AnswersInvalidError.
        """
        return form_reading.read_questions(form, questions, sheet, self.asks_per)

    def check_answers(
        self, answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet, machine: bool
    ) -> None:
        """Raise AnswersInvalidError if submitted answers, as files hold them, do not fit their questions."""
        form_reading.check_answers(answers, questions, sheet, self.asks_per, machine)

    def check_shown(
        self, answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet, options: Mapping[str, Any]
    ) -> None:
        """Raise AnswersInvalidError if checked answers from a file do not fit what was shown, or the options."""
        form_reading.check_shown(answers, questions, sheet, self.asks_per, options)

    def ratings(self, answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet) -> Iterable[Answer]:
        """The flat ratings that checked answers give."""
        return form_reading.ratings_of(answers, questions, sheet, self.asks_per, self.whole(sheet))

    def fields(
        self, form: Mapping[str, list[str]], questions: Sequence[Question], sheet: Sheet, errors: Mapping[str, str]
    ) -> list[dict[str, Any]]:
        """What the page shows of each question; see `form_reading.fields_of`."""
        return form_reading.fields_of(form, questions, sheet, self.asks_per, errors)

    def longest_form(self, questions: Sequence[Question], sheet: Sheet) -> int:
        """The most characters that a form of these questions can have, names of fields included."""
        return self.own_fields_longest + form_reading.longest_form(questions, sheet, self.asks_per)

    def form_of(self, answers: Mapping[str, Any], questions: Sequence[Question], sheet: Sheet) -> Form:
        """The form that would give these answers, for editing a saved answer."""
        return form_reading.form_of(answers, questions, sheet, self.asks_per)
