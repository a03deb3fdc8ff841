"""What recruiting adds: steps before tasks, and what goes with a person."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.access import person_of
from accounts.auditing import record
from accounts.models import Person
from annotation.fragments import Fragment, StepsCard
from annotation.models import Rater, Study
from annotation.studies.file_sections import StudySection, by_model
from annotation.studies.live_checks import UPLOAD, LiveProblem
from annotation.studies.pace_plan import PACE, StatedPace
from annotation.studies.queries import MyWork
from annotation.study_tabs import Tab
from annotation.synthetic_visitor import SyntheticVisitor
from config.part import Part
from recruiting.declared_part import DECLARED, SINCE
from recruiting.entry_step import steps_of
from recruiting.erasing import ERASING
from recruiting.models import Consent, PracticeAnswer, StepPassage
from recruiting.way_in.admission import admit_all
from recruiting.way_in.leaving import consent_step
from recruiting.way_in.pilot_decisions import was_chosen
from recruiting.way_in.pilot_tasks import end_if_over, most_given
from recruiting.way_in.practice_tasks import lacking_items
from recruiting.way_in.steps_taken import way_of
from recruiting.way_in.synthetic_way import let_on, walk_on
from recruiting.way_in.way_data import way_data

STEPS = ("Steps before tasks", "recruiting:steps")
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


class RecruitingPart(Part):
    annotators_pages = tuple(f"recruiting:{name}" for name in OF_ANNOTATORS.split())
    fragments = {
        "my_data.study": (Fragment("recruiting/_own_study.html", own_part),),
        "dry_run.links": (Fragment("recruiting/_funnel_link.html", if_steps),),
        "work.ready": (Fragment("recruiting/_chosen.html", if_chosen),),
    }
    sections = (StudySection(PACE, by_model(StatedPace)), *DECLARED)
    erasing = ERASING
    tabs = (
        Tab(230, "People", "Funnel", "recruiting:funnel", ("recruiting:decision",), has_steps),
        Tab(240, "People", "Background", "recruiting:background", (), has_steps),
        Tab(330, "Settings", "Steps before tasks", "recruiting:steps", ("recruiting:add_step", "recruiting:edit_step")),
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

    def has_qualification(self, study: Study) -> bool:
        return any(SINCE in step.kind.spec_keys for step in steps_of(study))

    def meaning_changed(self, study: Study, version: int, actor: Person | None) -> None:
        if not self.has_qualification(study):
            return
        steps = [
            {**step.body, SINCE: version} if SINCE in step.kind.spec_keys else dict(step.body)
            for step in steps_of(study)
        ]
        old, study.recruiting = study.recruiting, {**study.recruiting, "steps": steps}
        study.save(update_fields=["recruiting"])
        admit_all(study)
        record(
            "steps changed", study.slug, actor=actor, study=study.slug, old={"recruiting": old},
            new={"recruiting": study.recruiting},
        )  # fmt: skip

    def before_task(self, study: Study, rater: Rater) -> str:
        return reverse("recruiting:way_in", args=[study.slug])

    def steps_card(self, request: HttpRequest, work: MyWork) -> StepsCard | None:
        rater = Rater.objects.filter(study=work.study, person=person_of(request)).first()
        way = None
        if rater is not None:
            rater.study = work.study
            way = way_of(work.study, rater)
        html = render_to_string("recruiting/_steps_card.html", {"study": work.study, "work": work, "way": way}, request)
        return StepsCard(html, "" if way and way.halt else reverse("recruiting:way_in", args=[work.study.slug]))

    def most_given(self, rater: Rater) -> int | None:
        return most_given(rater)

    def is_waiting(self, rater: Rater) -> bool:
        return way_of(rater.study, rater).waits

    def end_if_over(self, rater: Rater) -> None:
        end_if_over(rater)

    def last_worked_at(self, rater: Rater) -> datetime | None:
        times = (
            *PracticeAnswer.objects.filter(passage__rater=rater).aggregate(Max("submitted_at")).values(),
            *StepPassage.objects.filter(rater=rater).aggregate(Max("opened_at"), Max("ended_at")).values(),
            *Consent.objects.filter(rater=rater).aggregate(Max("agreed_at")).values(),
        )
        return max((time for time in times if time is not None), default=None)

    def has_step(self, rater: Rater) -> bool:
        way = way_of(rater.study, rater)
        return way.step is not None and way.halt is None

    def walk(self, rater: Rater, visitor: SyntheticVisitor) -> bool:
        return walk_on(rater, visitor)

    def decide_for_researchers(self, study: Study, owner: Person) -> int:
        return let_on(study, owner)

    def own_data(self, person: Person) -> list[tuple[str, Iterator[dict[str, Any]]]]:
        return [*way_data(person)]


PART = RecruitingPart()
