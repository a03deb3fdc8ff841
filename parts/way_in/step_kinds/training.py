"""Training: tasks with right answers, shown with the reason after each task beside one's own answer."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_noop

from annotation.models import Rater
from files.import_problems import FieldInvalidError
from parts.way_in.entry_step import DeclaredIn, EntryStep
from parts.way_in.models import StepPassage
from parts.way_in.passing import PASSED, end
from parts.way_in.practice_kind import PracticeKind, is_whole
from parts.way_in.practice_tasks import TRAINING
from parts.way_in.step_fields import INTRO, ITEMS, SAMPLE, StepField

MOST_ROUNDS = 10


class TrainingStep(PracticeKind):
    key = "training"
    label = gettext_noop("Training")
    about = "People rate examples and see the right answer with its reason after each."
    shows_gold = True
    pool = TRAINING
    spec_keys = frozenset({"intro", "items", "sample", "rounds"})
    fields = (
        INTRO,
        ITEMS,
        SAMPLE,
        StepField("rounds", "Rounds", "How often all of them are shown. Empty: once.", kind="whole"),
    )

    def problems(self, body: Mapping[str, Any], place: str, within: DeclaredIn) -> Iterator[FieldInvalidError]:
        yield from super().problems(body, place, within)
        if "rounds" in body and not is_whole(body["rounds"], 1, MOST_ROUNDS):
            yield FieldInvalidError(place, f"rounds must be a whole number from 1 to {MOST_ROUNDS}")

    def tasks(self, step: EntryStep, rater: Rater) -> list[list[Any]]:
        return super().tasks(step, rater) * step.option("rounds", 1)

    def finish(self, step: EntryStep, passage: StepPassage, now: datetime) -> None:
        end(passage, PASSED, now, actor=passage.rater.person)


ENTRY_STEP = TrainingStep()
