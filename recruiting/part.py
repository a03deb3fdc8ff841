"""What recruiting adds: steps before tasks, checks, stop rules, messages, and what goes with a person."""

from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.db.models import Max
from django.http import HttpRequest

from accounts.access import person_of
from accounts.auditing import record
from accounts.models import Person
from annotation.fragments import Fragment
from annotation.models import Annotation, Rater, Study
from annotation.studies.file_sections import StudySection
from annotation.studies.notices import StudyNotice
from annotation.studies.pace_plan import PACE, why_no_pace
from config.part import Part
from recruiting.crowds.ending import stay_of
from recruiting.crowds.entry_data import entries
from recruiting.crowds.stay_pauses import give_back_time, has_ended
from recruiting.declared_part import RECRUITING, SINCE
from recruiting.dry_runs.dry_run_mark import DRY_RUN, why_no_mark
from recruiting.entry_step import steps_of
from recruiting.erasing import ERASING
from recruiting.models import Consent, CrowdId, PracticeAnswer, StepPassage
from recruiting.overview_notices import people_notices
from recruiting.own_data import letters_of
from recruiting.stopping.filed_looks import LookImport
from recruiting.stopping.fixing import fix_plan
from recruiting.stopping.plan_spec import STOPPING, why_no_plan
from recruiting.stopping.third_raters import note_answer
from recruiting.way_in.admission import admit_all
from recruiting.way_in.leaving import consent_step
from recruiting.way_in.pilot_tasks import end_if_over, most_given
from recruiting.way_in.practice_tasks import lacking_items
from recruiting.way_in.steps_taken import way_of
from recruiting.way_in.way_data import way_data

OF_ANNOTATORS = (
    "way_in practice practice_draft why my_consent leave enter join finish outcome"
    " my_messages general_thread task_thread"
)


def own_stay(request: HttpRequest, study: Study) -> dict[str, Any] | None:
    """The stay of the person who asks, if they came by a link."""
    stay = stay_of(study, person_of(request)) if study.has_crowd else None
    return None if stay is None else {"stay": stay}


def own_part(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Whether an annotator of the study has a text to read again that they agreed to."""
    return {"agrees": consent_step(study) is not None}


class RecruitingPart(Part):
    annotators_pages = tuple(f"recruiting:{name}" for name in OF_ANNOTATORS.split())
    fragments = {
        "my_data.study": (Fragment("recruiting/_own_study.html", own_part),),
        "pause.awaited": (Fragment("recruiting/_stay_awaited.html", own_stay),),
        "study.finish": (Fragment("recruiting/_finish.html"),),
    }
    sections = (
        StudySection(STOPPING, why_no_plan, fix_plan),
        StudySection(PACE, why_no_pace),
        StudySection(DRY_RUN, why_no_mark),
    )
    importers = {LookImport.table: LookImport}
    recruiting = RECRUITING
    erasing = ERASING

    def live_problems(self, study: Study) -> Iterator[str]:
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

    def after_answer(self, study: Study, annotation: Annotation) -> None:
        note_answer(study, annotation)

    def most_given(self, rater: Rater) -> int | None:
        return most_given(rater)

    def is_waiting(self, rater: Rater) -> bool:
        return way_of(rater.study, rater).waits

    def end_if_over(self, rater: Rater) -> None:
        end_if_over(rater)

    def has_ended(self, rater: Rater) -> bool:
        return has_ended(rater)

    def before_resuming(self, rater: Rater, now: datetime) -> None:
        give_back_time(rater, now)

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

    def notices(self, study: Study) -> list[StudyNotice]:
        return people_notices(study)

    def own_data(self, person: Person) -> list[tuple[str, Iterator[dict[str, Any]]]]:
        return [*way_data(person), *letters_of(person), ("entries", entries(person))]

    def identities(self, study: Study, people: Collection[int]) -> Mapping[str, Mapping[int, str]]:
        ids = CrowdId.objects.filter(study=study, person__in=people).values_list("person", "participant")
        return {"Participant id": dict(ids)}


PART = RecruitingPart()
