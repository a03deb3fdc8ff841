"""What the way in adds: steps before tasks, and what goes with a person."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db.models import Max
from django.http import HttpRequest

from accounts.access import person_of
from accounts.models import Person
from annotation.fragments import Fragment
from annotation.models import Rater, Study
from annotation.studies.live_checks import UPLOAD, LiveProblem
from annotation.studies.queries import MyWork
from annotation.study_tabs import Tab
from config.part import Part
from parts.way_in.admission import admit_all
from parts.way_in.entry_step import steps_of
from parts.way_in.erasing import ERASING
from parts.way_in.leaving import consent_step
from parts.way_in.models import Consent, PracticeAnswer, StepPassage
from parts.way_in.pilot_decisions import was_chosen
from parts.way_in.practice_tasks import QUALIFICATION, TRAINING, lacking_items
from parts.way_in.settings import DECLARED
from parts.way_in.steps_before import WayInSteps
from parts.way_in.way_data import way_data

STEPS = ("Steps before tasks", "way_in:steps")
OF_ANNOTATORS = "way_in practice practice_draft why my_consent leave"


def has_steps(study: Study) -> bool:
    return study.has_steps


def if_steps(request: HttpRequest, study: Study) -> dict[str, Any] | None:
    return {} if study.has_steps else None


def if_chosen(request: HttpRequest, work: MyWork) -> dict[str, Any] | None:
    """Nothing, unless a researcher let the person continue after a pilot, and they have answered nothing since."""
    return {} if was_chosen(work.study, person_of(request), work.done) else None


def own_part(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Whether an annotator of the study has a text to read again that they agreed to."""
    return {"agrees": consent_step(study) is not None}


class WayInPart(Part):
    annotators_pages = tuple(f"way_in:{name}" for name in OF_ANNOTATORS.split())
    fragments = {
        "my_data.study": (Fragment("way_in/_own_study.html", own_part),),
        "dry_run.links": (Fragment("way_in/_funnel_link.html", if_steps),),
        "work.ready": (Fragment("way_in/_chosen.html", if_chosen),),
    }
    pools = {TRAINING: "Training", QUALIFICATION: "Qualification"}
    sections = DECLARED
    study_templates = Path(__file__).with_name("study_templates")
    steps = WayInSteps()
    urls = "parts.way_in.urls"
    erasing = ERASING
    tabs = (
        Tab(230, "People", "Funnel", "way_in:funnel", ("way_in:decision",), has_steps),
        Tab(240, "People", "Background", "way_in:background", (), has_steps),
        Tab(330, "Settings", "Steps before tasks", "way_in:steps", ("way_in:add_step", "way_in:edit_step")),
    )

    def live_problems(self, study: Study) -> Iterator[LiveProblem]:
        return (LiveProblem(text, (UPLOAD, STEPS), blocks=True) for text in self._lacking(study))

    def _lacking(self, study: Study) -> Iterator[str]:
        found = lacking_items(study)
        for step in steps_of(study):
            if lacking := found.get(step.key):
                what = "1 item" if lacking == 1 else f"{lacking} items"
                yield f"The step {step.title} lacks {what} of the pool {step.kind.pool_of(step)}."
            if not study.is_dry_run:
                yield from step.kind.live_problems(step)

    def recruiting_changed(self, study: Study) -> None:
        admit_all(study)

    def last_worked_at(self, rater: Rater) -> datetime | None:
        times = (
            *PracticeAnswer.objects.filter(passage__rater=rater).aggregate(Max("submitted_at")).values(),
            *StepPassage.objects.filter(rater=rater).aggregate(Max("opened_at"), Max("ended_at")).values(),
            *Consent.objects.filter(rater=rater).aggregate(Max("agreed_at")).values(),
        )
        return max((time for time in times if time is not None), default=None)

    def own_data(self, person: Person) -> list[tuple[str, Iterator[dict[str, Any]]]]:
        return [*way_data(person)]


PART = WayInPart()
