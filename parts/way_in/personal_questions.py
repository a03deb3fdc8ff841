"""Questions about the person, in screens and questionnaires: how a file declares them, and how a form answers them."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext, gettext_noop

from annotation.models import Rater
from config.text_validation import TextRefusedError, check_id, check_text
from files.import_problems import FieldInvalidError, unknown
from parts.way_in.entry_step import RepliesInvalidError
from parts.way_in.models import PersonalReply

PREFIX = "reply-"
QUESTION_KEYS = frozenset({"key", "text", "help", "choices", "multiple", "number"})
"""What every question may have; without choices or `number`, the answer is a text."""
MOST_QUESTIONS, MOST_CHOICES, LONGEST_CHOICE, LONGEST_TEXT = 50, 100, 200, 500
NEEDED, NOT_OFFERED, NO_NUMBER = (
    gettext_noop("This question needs an answer."),
    gettext_noop("Choose one of the answers."),
    gettext_noop("Enter a number."),
)


def question_problems(
    body: Mapping[str, Any], place: str, more_keys: frozenset[str] = frozenset()
) -> Iterator[FieldInvalidError]:
    """Yield what is wrong with a step's `questions`, which may have `more_keys`."""
    questions = body.get("questions")
    if not isinstance(questions, list) or not 1 <= len(questions) <= MOST_QUESTIONS:
        yield FieldInvalidError(place, f"questions must be a list of 1 to {MOST_QUESTIONS} questions")
        return
    seen: set[str] = set()
    for number, question in enumerate(questions):
        here = f"{place}: questions.{number}"
        if not isinstance(question, dict):
            yield FieldInvalidError(here, "must be a mapping of keys to values")
            continue
        yield from _problems_of(question, here, QUESTION_KEYS | more_keys)
        key = question.get("key")
        if isinstance(key, str) and key in seen:
            yield FieldInvalidError(here, "has the key of another question")
        seen.add(str(key))


def _problems_of(question: Mapping[str, Any], place: str, known: frozenset[str]) -> Iterator[FieldInvalidError]:
    for name in question:
        if name not in known:
            yield FieldInvalidError(place, unknown("key", name, known))
    try:
        check_id(question.get("key"), f"{place}.key")
    except TextRefusedError as problem:
        yield FieldInvalidError(problem.place, problem.reason)
    if not isinstance(question.get("text"), str) or not question["text"].strip():
        yield FieldInvalidError(place, "text is missing: it must be text")
    for name in ("multiple", "number"):
        if question.get(name) not in (None, True, False):
            yield FieldInvalidError(place, f"{name} must be true or false")
    choices = question.get("choices")
    if choices is None:
        return
    fits = isinstance(choices, list) and 2 <= len(choices) <= MOST_CHOICES
    if not fits or not all(isinstance(one, str) and 0 < len(one) <= LONGEST_CHOICE for one in choices):
        yield FieldInvalidError(place, f'choices must be 2 to {MOST_CHOICES} texts; write "no" in quotes')
    elif len(set(choices)) != len(choices):
        yield FieldInvalidError(place, "choices names one twice")
    if question.get("number"):
        yield FieldInvalidError(place, "has choices, so its answer is no number")


def shown_questions(
    questions: Sequence[Mapping[str, Any]], form: QueryDict | None, errors: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return what a page shows of the questions: names of fields, choices with the chosen ones marked, errors.

    The first question with an error `has_focus`.
    """
    shown: list[dict[str, Any]] = []
    for question in questions:
        name = f"{PREFIX}{question['key']}"
        given = form.getlist(name) if form is not None else []
        shown.append({
            "name": name, "text": question["text"], "help": question.get("help", ""),
            "multiple": question.get("multiple", False), "number": question.get("number", False),
            "choices": [{"value": one, "chosen": one in given} for one in question.get("choices", ())],
            "value": given[-1] if given else "", "error": errors.get(name, ""),
            "has_focus": name in errors and not any(one["error"] for one in shown),
        })  # fmt: skip
    return shown


def read_replies(questions: Sequence[Mapping[str, Any]], form: QueryDict, *, required: bool) -> dict[str, Any]:
    """Return {question: value} of a posted form, without empty answers. Raises RepliesInvalidError."""
    replies: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for question in questions:
        name = f"{PREFIX}{question['key']}"
        try:
            value = _value(question, [one.strip() for one in form.getlist(name) if one.strip()])
        except ValueError as problem:
            errors[name] = str(problem)
            continue
        if value is not None:
            replies[question["key"]] = value
        elif required:
            errors[name] = gettext(NEEDED)
    if errors:
        raise RepliesInvalidError(errors)
    return replies


def _value(question: Mapping[str, Any], given: list[str]) -> Any:
    if not given:
        return None
    if choices := question.get("choices"):
        if not set(given) <= set(choices):
            raise ValueError(gettext(NOT_OFFERED))
        return [one for one in choices if one in given] if question.get("multiple") else given[-1]
    if question.get("number"):
        text = given[-1].replace(",", ".")
        whole, _, part = text.partition(".")
        if not (whole.isascii() and whole.isdigit() and len(whole) < 10) or (part and not part.isdigit()):
            raise ValueError(gettext(NO_NUMBER))
        return float(text) if part else int(whole)
    if len(given[-1]) > LONGEST_TEXT:
        raise ValueError(gettext("Use at most %(most)s characters.") % {"most": LONGEST_TEXT})
    try:
        return check_text(given[-1])
    except TextRefusedError as problem:
        raise ValueError(gettext("This answer %(problem)s.") % {"problem": problem.reason}) from None


def keep_replies(rater: Rater, step: str, replies: Mapping[str, Any], now: datetime) -> None:
    """Keep what a locked rater's person said, in place of what they said in the step before."""
    PersonalReply.objects.filter(study=rater.study, person=rater.person, step=step).delete()
    PersonalReply.objects.bulk_create([
        PersonalReply(study=rater.study, person=rater.person, step=step, question=key, value=value, given_at=now)
        for key, value in replies.items()
    ])  # fmt: skip
