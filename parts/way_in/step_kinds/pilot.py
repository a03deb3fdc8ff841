"""A paid pilot: a small batch of tasks, after which a researcher chooses who continues.

Its tasks are practice tasks on items of a pool. Protocols whose tasks have pages of their own, such as revision
sessions, have the study's own `tasks` in it, which count as any other.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_noop

from annotation.models import Rater, Study
from annotation.protocols import Protocol
from files.import_problems import FieldInvalidError
from parts.way_in.entry_step import DeclaredIn, EntryStep, Halt, Passages
from parts.way_in.models import StepPassage
from parts.way_in.passing import FAILED, WAITING, end
from parts.way_in.pilot_tasks import OPEN, begin_pilot, is_over
from parts.way_in.practice_kind import PracticeKind, is_whole
from parts.way_in.practice_tasks import QUALIFICATION, TRAINING
from parts.way_in.step_fields import INTRO, ITEMS, StepField

POOLS = (QUALIFICATION, TRAINING)
PAYMENT = StepField("payment", "Payment", "Shown before people begin.")
TASKS = StepField("tasks", "Tasks", "How many of the study's own tasks each person gets in the pilot.", kind="whole",
                  required=True)  # fmt: skip
MOST_TASKS = 100
OWN_TASKS = "must be left out, because the pilot of this protocol has the study's own tasks: give their number as tasks"
NEEDS_TASKS = f"needs tasks: how many of the study's own tasks each person gets, a whole number from 1 to {MOST_TASKS}"
PRACTICE = "tasks must be left out: this protocol's pilot has practice tasks, from the items of a pool"


class PilotStep(PracticeKind):
    key = "pilot"
    label = gettext_noop("Paid pilot")
    about = "People do a few tasks; then a researcher looks at them and chooses who continues."
    pool = QUALIFICATION
    spec_keys = frozenset({"intro", "items", "pool", "payment", "tasks"})
    fields = (
        INTRO, ITEMS, PAYMENT,
        StepField("pool", "Pool of its items", kind="choice", choices=(
            ("qualification", "Qualification"), ("training", "Training"))),
    )  # fmt: skip

    def suits(self, protocol: Protocol) -> bool:
        return True

    def fields_in(self, protocol: Protocol) -> tuple[StepField, ...]:
        return (INTRO, TASKS, PAYMENT) if protocol.flow.has_own_pages else self.fields

    def has_practice(self, step: EntryStep) -> bool:
        return "tasks" not in step.body

    def problems(self, body: Mapping[str, Any], place: str, within: DeclaredIn) -> Iterator[FieldInvalidError]:
        yield from super().problems(body, place, within)
        if within.protocol.flow.has_own_pages:
            yield from (FieldInvalidError(place, f"{key} {OWN_TASKS}") for key in ("items", "pool") if key in body)
            if not is_whole(body.get("tasks"), 1, MOST_TASKS):
                yield FieldInvalidError(place, NEEDS_TASKS)
        elif "tasks" in body:
            yield FieldInvalidError(place, PRACTICE)
        if "pool" in body and body["pool"] not in POOLS:
            yield FieldInvalidError(place, f"pool must be one of {', '.join(POOLS)}")
        if "payment" in body and not isinstance(body["payment"], str):
            yield FieldInvalidError(place, "payment must be text")

    def admits(self, step: EntryStep, passages: Passages) -> bool:
        """While a pilot of the study's own tasks is under way; `most_given` says how many they get."""
        return not self.has_practice(step) and any(one.outcome == OPEN for one in passages.of(step))

    def halt(self, step: EntryStep, passages: Passages, now: datetime) -> Halt | None:
        last = passages.of(step)[-1:]
        if last and last[0].outcome == FAILED:
            return Halt(over=True)
        return Halt() if last and last[0].outcome == WAITING else None

    def context(self, step: EntryStep, study: Study, form: QueryDict | None) -> dict[str, Any]:
        shown = {"intro": step.option("intro", ""), "payment": step.option("payment", "")}
        if self.has_practice(step):
            return {**super().context(step, study, form), **shown}
        return {**shown, "own_tasks": step.body["tasks"]}

    def take(self, step: EntryStep, rater: Rater, form: QueryDict, now: datetime) -> None:
        """Begin an attempt, or continue the one that is under way; if all its tasks are over, it waits."""
        if self.has_practice(step):
            super().take(step, rater, form, now)
            return
        passage = StepPassage.objects.filter(rater=rater, step=step.key, outcome=OPEN).first()
        if passage is None:
            begin_pilot(step, rater, now)
            return
        passage.rater = rater
        if is_over(passage, now):
            self.finish(step, passage, now)

    def finish(self, step: EntryStep, passage: StepPassage, now: datetime) -> None:
        end(passage, WAITING, now, actor=passage.rater.person)


ENTRY_STEP = PilotStep()
