"""What a person downloads of their way into studies: what they agreed to, did and said."""

from collections.abc import Iterator
from typing import Any

from accounts.models import Person
from annotation.members.data_download import KnownQuestions
from config.database_clock import database_now
from parts.way_in.admission import passages_of
from parts.way_in.entry_step import steps_of
from parts.way_in.models import Consent, PersonalReply, PracticeAnswer, StepPassage

CHUNK = 500
Rows = Iterator[dict[str, Any]]


def way_data(person: Person) -> list[tuple[str, Rows]]:
    """Return the person's lists by their titles."""
    return [
        ("consents", _consents(person)), ("steps", _steps(person)), ("about_you", _replies(person)),
        ("practice_answers", _practice(person)),
    ]  # fmt: skip


def _consents(person: Person) -> Rows:
    found = Consent.objects.filter(rater__person=person).select_related("version__study").order_by("pk")
    for one in found:
        version = one.version
        yield {
            "study": version.study.slug, "agreed_at": one.agreed_at, "version": version.number, "text": version.text,
            "privacy": version.privacy, "retention": version.retention, "on_withdrawal": version.on_withdrawal,
        }  # fmt: skip


def _steps(person: Person) -> Rows:
    """Without how many answers were right, as long as the person may try again: two attempts would tell which."""
    may_try = _KnownSteps()
    for one in StepPassage.objects.filter(rater__person=person).select_related("rater__study").order_by("pk"):
        given = one.result or {}
        hidden = "rules" in given and may_try.again(one)
        yield {
            "study": one.rater.study.slug, "step": one.step, "attempt": one.attempt, "outcome": one.outcome,
            "from": one.opened_at, "to": one.ended_at, "result": None if hidden else one.result,
        }  # fmt: skip


def _replies(person: Person) -> Rows:
    for one in PersonalReply.objects.filter(person=person).select_related("study").order_by("pk"):
        yield {
            "study": one.study.slug, "step": one.step, "question": one.question, "reply": one.value, "at": one.given_at,
        }  # fmt: skip


def _practice(person: Person) -> Rows:
    """Without which of them were right, which would give a test away before the next attempt."""
    found = PracticeAnswer.objects.filter(passage__rater__person=person).select_related("passage__rater__study")
    questions = KnownQuestions()
    for one in found.order_by("pk").iterator(CHUNK):
        study = one.passage.rater.study
        yield {
            "study": study.slug, "step": one.passage.step, "attempt": one.passage.attempt, "task": one.number + 1,
            "form": questions.form(study, one.answers, one.shown), "at": one.submitted_at,
        }  # fmt: skip


class _KnownSteps:
    """Which steps raters may try again, each rater's read once."""

    def __init__(self) -> None:
        self.known: dict[int, frozenset[str]] = {}

    def again(self, passage: StepPassage) -> bool:
        """Whether the rater has not passed the step of this attempt, and may make another one now or later."""
        rater = passage.rater
        if rater.pk not in self.known:
            ways, now = passages_of([rater.pk])[rater.pk], database_now()
            self.known[rater.pk] = frozenset(
                step.key
                for step in steps_of(rater.study)
                if not step.kind.is_passed(step, ways)
                and not ((halt := step.kind.halt(step, ways, now)) is not None and halt.over)
            )
        return passage.step in self.known[rater.pk]
