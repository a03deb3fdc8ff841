"""What the second stage adds: the section `adjudication` of a study, its pages, and who decided what."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest

from accounts.access import person_of
from accounts.models import Person
from annotation.fragments import Fragment
from annotation.models import Adjudication, Rater
from annotation.questions import question_types
from annotation.studies.file_sections import StudySection, by_model
from annotation.studies.queries import MyWork
from annotation.study_tabs import Tab
from config.part import Part
from parts.second_stage.erasing import ERASING
from parts.second_stage.settings import ADJUDICATION, StageSettings, has_stage, may_adjudicate, without_raters

CHUNK = 500


def if_adjudicator(request: HttpRequest, work: MyWork) -> dict[str, Any] | None:
    """Lead people who give final answers to them; a query only if the study has a second stage."""
    if not has_stage(work.study):
        return None
    rater = Rater.objects.filter(study=work.study, person=person_of(request)).first()
    return {} if rater is not None and may_adjudicate(work.study, rater) else None


class SecondStagePart(Part):
    sections = (StudySection(ADJUDICATION, by_model(StageSettings), copied=without_raters),)
    urls = "parts.second_stage.urls"
    annotators_pages = ("second_stage:second_stage",)
    tabs = (Tab(270, "Review", "Second stage", "second_stage:stage_setting"),)
    fragments = {"work.notices": (Fragment("second_stage/_work_notice.html", if_adjudicator),)}
    erasing = ERASING

    def own_data(self, person: Person) -> list[tuple[str, Iterator[dict[str, Any]]]]:
        return [("final_answers", _final_answers(person))]


def _final_answers(person: Person) -> Iterator[dict[str, Any]]:
    """What the person decided in second stages; a value that names outputs is left out, because keys name systems."""
    for rater in Rater.objects.filter(person=person).select_related("study").order_by("pk"):
        given = Adjudication.objects.filter(item__study=rater.study, by__name=rater.name).select_related("question")
        for answer in given.order_by("pk").iterator(CHUNK):
            words = question_types()[answer.question.type].in_words(answer.value, answer.question.spec)
            yield {
                "study": rater.study.slug, "question": answer.question.text or answer.question.key,
                "answer": words or None, "reason": answer.reason, "at": answer.at,
            }  # fmt: skip


PART = SecondStagePart()
