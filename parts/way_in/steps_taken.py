"""What people do on their way into a study: take a step, begin an attempt, answer a practice task, read why.

Each is one transaction that locks the study and then the rater: steps cannot change meanwhile, and two requests of one
person come one after the other.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.http import QueryDict

from annotation.desk.conflicting_drafts import check_form_size
from annotation.models import Item, Rater, Study
from annotation.protocols import Form, protocols
from annotation.studies.locking import lock_rater, lock_study
from config.database_clock import database_now
from config.text_validation import check_json
from parts.way_in.admission import admit, next_step, passages_of
from parts.way_in.entry_step import EntryStep, Halt, Passages, steps_of
from parts.way_in.followers import followers_of
from parts.way_in.models import PracticeAnswer, StepPassage
from parts.way_in.practice_drafts import drop_draft, write_draft
from parts.way_in.practice_kind import PracticeKind
from parts.way_in.practice_tasks import task_at
from parts.way_in.rule_results import checks_of


class StaleStepError(Exception):
    """The page is older than what has happened since: show the present one."""


@dataclass(frozen=True)
class Way:
    """Where a rater is on the way into a study: all steps, the present one, and why it cannot be taken now."""

    study: Study
    rater: Rater
    steps: list[EntryStep]
    passages: Passages
    step: EntryStep | None
    halt: Halt | None

    @property
    def number(self) -> int:
        """The present step's place, from 1."""
        return self.steps.index(self.step) + 1 if self.step else len(self.steps)

    @property
    def passage(self) -> StepPassage | None:
        """The attempt that is under way."""
        open_now = [one for one in self.passages.of(self.step) if one.outcome == "open"] if self.step else []
        return open_now[0] if open_now else None

    @property
    def has_changed(self) -> bool:
        """Whether the rater took the present step as it was before a change."""
        return self.step is not None and self.step.kind.has_changed(self.step, self.passages)

    @property
    def asks_again(self) -> bool:
        """Whether the present step is new or changed, and the rater had gone past it."""
        later = self.steps[self.number :]
        return self.has_changed or any(step.kind.is_passed(step, self.passages) for step in later)

    @property
    def waits(self) -> bool:
        """Whether the rater waits for a researcher's decision."""
        return self.step is not None and any(one.outcome == "waiting" for one in self.passages.of(self.step))


def way_of(study: Study, rater: Rater, now: datetime | None = None) -> Way:
    """Return where the rater is, in two queries."""
    steps, passages = steps_of(study), passages_of([rater.pk])[rater.pk]
    step = next_step(steps, passages)
    halt = step.kind.halt(step, passages, now or database_now()) if step else None
    if step is not None and halt is None and any(part.is_full_for(study, rater) for part in followers_of(study)):
        halt = Halt(full=True)
    return Way(study, rater, steps, passages, step, halt)


@contextmanager
def _locked(rater: Rater, now: datetime) -> Iterator[Way]:
    """The rater's way as it is now, locked; afterwards they are admitted if they have passed all steps."""
    with transaction.atomic():
        study = lock_study(rater.study_id)
        locked = lock_rater(rater.pk, "person")
        locked.study = study
        yield way_of(study, locked, now)
        admit(study, locked)


def take_step(rater: Rater, key: str, form: QueryDict) -> None:
    """Take the step `key` with a posted form. Raises RepliesInvalidError, and StaleStepError if it is not the next."""
    now = database_now()
    with _locked(rater, now) as way:
        if way.step is None or way.step.key != key or way.halt is not None or not way.study.is_live:
            raise StaleStepError
        way.step.kind.take(way.step, way.rater, form, now)


def answer_task(rater: Rater, number: int, form: Form) -> StepPassage:
    """Save the answer to the task `number` of the attempt that is under way, and end the attempt with its last one.

    Returns the attempt. Raises AnswersInvalidError, and StaleStepError if another task is next.
    """
    now = database_now()
    with _locked(rater, now) as way:
        step, passage = _attempt(way)
        if number != PracticeAnswer.objects.filter(passage=passage).count() or unread_answer(passage, step):
            raise StaleStepError
        task = task_at(way.study, way.rater, passage.tasks, number)
        answers = protocols()[way.study.protocol].read_form(form, task.questions, task.sheet)
        check_json(answers)
        golden = Item.objects.get(pk=task.item.pk)
        checks = checks_of(way.study, task.questions, golden, task.sheet.keys, answers, step.option("rules", ()))
        PracticeAnswer.objects.create(
            passage=passage, number=number, item=golden, variant=task.variant, shown=task.sheet.keys, answers=answers,
            checks=checks, submitted_at=now,
        )  # fmt: skip
        drop_draft(passage)
        if number + 1 == len(passage.tasks) and not step.kind.shows_gold:
            step.kind.finish(step, passage, now)
    return passage


def save_draft(rater: Rater, number: int, form: Form, base_version: int) -> int:
    """Save a draft of the task `number` of the attempt that is under way; return the draft's version.

    Raises OlderDraftError, TextRefusedError, and StaleStepError if another task is next.
    """
    check_json(form)
    with transaction.atomic():
        locked = lock_rater(rater.pk, "person", "study")
        step, passage = _attempt(way_of(locked.study, locked))
        if number != PracticeAnswer.objects.filter(passage=passage).count() or unread_answer(passage, step):
            raise StaleStepError
        task = task_at(locked.study, locked, passage.tasks, number)
        check_form_size(locked.study, task.questions, task.sheet, form)
        return write_draft(passage, number, form, base_version)


def read_why(rater: Rater, number: int) -> None:
    """Keep that the right answer to a task was read, and end the attempt with its last one. Raises StaleStepError."""
    now = database_now()
    with _locked(rater, now) as way:
        step, passage = _attempt(way)
        unread = PracticeAnswer.objects.filter(passage=passage, number=number, read_at=None)
        if not unread.update(read_at=now):
            raise StaleStepError
        if number + 1 == len(passage.tasks):
            step.kind.finish(step, passage, now)


def _attempt(way: Way) -> tuple["PracticeStep", StepPassage]:
    """The step and the attempt that is under way. Raises StaleStepError if there is none."""
    passage = way.passage
    if way.step is None or passage is None or not isinstance(way.step.kind, PracticeKind) or not way.study.is_live:
        raise StaleStepError
    if not way.step.kind.has_practice(way.step):
        raise StaleStepError
    passage.refresh_from_db(fields=["tasks"])
    passage.rater = way.rater
    return PracticeStep(way.step.key, way.step.kind, way.step.body), passage


@dataclass(frozen=True)
class PracticeStep(EntryStep):
    """A step of practice tasks."""

    kind: PracticeKind


def unread_answer(passage: StepPassage, step: EntryStep) -> PracticeAnswer | None:
    """Return the answer whose right answer comes next, in steps that show them."""
    if not isinstance(step.kind, PracticeKind) or not step.kind.shows_gold:
        return None
    return PracticeAnswer.objects.filter(passage=passage, read_at=None).order_by("number").first()
