"""What stop rules add: looks at a running study, third raters, and what the report says of both."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from accounts.models import Person
from annotation.fragments import Fragment
from annotation.models import Annotation, Study
from annotation.studies.file_sections import StudySection
from annotation.study_tabs import Tab
from config.part import Part
from files.writing.table_list import StudyTable
from operating.data_check import digest_check
from parts.stopping.erasing import ERASING
from parts.stopping.fixing import fix_plan
from parts.stopping.look_lines import LOOKS, has_looks, look_lines
from parts.stopping.peeking import PEEKED, note_peek
from parts.stopping.plan_spec import STOPPING, plan_problems, third_rater_of
from parts.stopping.stopping_facts import shown_stopping, stopping_facts
from parts.stopping.third_raters import note_answer

SQL = "SELECT id, body, sha256 FROM stopping_stopplan"


def on_the_report(request: HttpRequest, study: Study, facts: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What the report's page shows of the facts that the report states."""
    shown = shown_stopping(study, facts.get(STOPPING))
    return None if shown is None else {"stopping": shown}


class StoppingPart(Part):
    sections = (StudySection(STOPPING, plan_problems, fix_plan),)
    urls = "parts.stopping.urls"
    tabs = (Tab(140, "Report", "Stop rules", "stopping:stop_rules"),)
    fragments = {"report.facts": (Fragment("stopping/_stopping.html", on_the_report),)}
    report_facts = {STOPPING: stopping_facts}
    figureless_actions = (PEEKED,)
    importers = {"looks": "parts.stopping.filed_looks.LookImport"}
    tables = (
        StudyTable(
            "looks", "looks of stop rules, with what they found and decided", LOOKS, look_lines, has_looks,
            naming=frozenset({"figures"}),
        ),
    )  # fmt: skip
    erasing = ERASING
    data_checks = (digest_check("altered_stop_plans", "The rules of a stop plan", SQL),)

    def after_answer(self, study: Study, annotation: Annotation) -> None:
        note_answer(study, annotation)

    def adds_raters(self, study: Study) -> bool:
        return third_rater_of(study) is not None

    def results_seen(self, study: Study, person: Person, page: str) -> None:
        note_peek(study, person, page)


PART = StoppingPart()
