"""What the core asks about the steps that raters take before their first task."""

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.access import person_of
from accounts.auditing import record
from accounts.models import Person
from annotation.desk.part_tasks import RepeatedSteps, StepsBeforeTasks
from annotation.fragments import StepsCard
from annotation.models import Rater, Study
from annotation.studies.queries import MyWork
from annotation.synthetic_visitor import SyntheticVisitor
from parts.way_in.admission import admit_all
from parts.way_in.declaring import steps_since
from parts.way_in.entry_step import steps_of
from parts.way_in.pilot_tasks import end_if_over, most_given
from parts.way_in.settings import SINCE
from parts.way_in.steps_taken import way_of
from parts.way_in.synthetic_way import let_on, walk_on

QUALIFY_AGAIN = RepeatedSteps(
    "This changes the meaning: people qualify again",
    "Qualifications under earlier versions no longer count. People pass them again before their next task; what they "
    "are writing now is saved.",
)


class WayInSteps(StepsBeforeTasks):
    def page(self, study: Study) -> str:
        return reverse("way_in:way_in", args=[study.slug])

    def card(self, request: HttpRequest, work: MyWork) -> StepsCard:
        rater = Rater.objects.filter(study=work.study, person=person_of(request)).first()
        way = None
        if rater is not None:
            rater.study = work.study
            way = way_of(work.study, rater)
        html = render_to_string("way_in/_steps_card.html", {"study": work.study, "work": work, "way": way}, request)
        return StepsCard(html, "" if way and way.halt else self.page(work.study))

    def has_step(self, rater: Rater) -> bool:
        way = way_of(rater.study, rater)
        return way.step is not None and way.halt is None

    def is_waiting(self, rater: Rater) -> bool:
        return way_of(rater.study, rater).waits

    def most_given(self, rater: Rater) -> int | None:
        return most_given(rater)

    def end_if_over(self, rater: Rater) -> None:
        end_if_over(rater)

    def repeated(self, study: Study) -> RepeatedSteps | None:
        return QUALIFY_AGAIN if any(SINCE in step.kind.spec_keys for step in steps_of(study)) else None

    def repeat(self, study: Study, version: int, actor: Person | None) -> None:
        if self.repeated(study) is None:
            return
        old, study.recruiting = study.recruiting, {**study.recruiting, "steps": steps_since(study, version)}
        study.save(update_fields=["recruiting"])
        admit_all(study)
        record(
            "steps changed", study.slug, actor=actor, study=study.slug, old={"recruiting": old},
            new={"recruiting": study.recruiting},
        )  # fmt: skip

    def walk(self, rater: Rater, visitor: SyntheticVisitor) -> bool:
        return walk_on(rater, visitor)

    def decide_for_researchers(self, study: Study, owner: Person) -> int:
        return let_on(study, owner)
