"""A paid pilot: a small batch of tasks, after which a researcher chooses who continues."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from annotation.importing.import_problems import FieldInvalidError
from annotation.models import Item
from recruiting.entry_step import DeclaredIn, EntryStep, Halt, Passages
from recruiting.models import StepPassage
from recruiting.way_in.passing import FAILED, WAITING, end
from recruiting.way_in.practice_kind import PracticeKind
from recruiting.way_in.step_fields import INTRO, ITEMS, StepField

POOLS = (Item.Pool.QUALIFICATION.value, Item.Pool.TRAINING.value)


class PilotStep(PracticeKind):
    key = "pilot"
    label = gettext_noop("Paid pilot")
    about = "People rate a small batch; then a researcher reads it and chooses who continues."
    pool = Item.Pool.QUALIFICATION.value
    spec_keys = frozenset({"intro", "items", "pool", "payment"})
    fields = (
        INTRO, ITEMS,
        StepField("payment", "Payment", "Shown before people begin."),
        StepField("pool", "Pool of its items", kind="choice", choices=(
            ("qualification", "Qualification"), ("training", "Training"))),
    )  # fmt: skip

    def problems(self, body: Mapping[str, Any], place: str, within: DeclaredIn) -> Iterator[FieldInvalidError]:
        yield from super().problems(body, place, within)
        if "pool" in body and body["pool"] not in POOLS:
            yield FieldInvalidError(place, f"pool must be one of {', '.join(POOLS)}")
        if "payment" in body and not isinstance(body["payment"], str):
            yield FieldInvalidError(place, "payment must be text")

    def halt(self, step: EntryStep, passages: Passages, now: datetime) -> Halt | None:
        last = passages.of(step)[-1:]
        if last and last[0].outcome == FAILED:
            return Halt(over=True)
        return Halt() if last and last[0].outcome == WAITING else None

    def context(self, step: EntryStep, study: Any, form: Any) -> dict[str, Any]:
        return {**super().context(step, study, form), "payment": step.option("payment", "")}

    def finish(self, step: EntryStep, passage: StepPassage, now: datetime) -> None:
        end(passage, WAITING, now, actor=passage.rater.person)


ENTRY_STEP = PilotStep()
