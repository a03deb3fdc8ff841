"""What hidden checks add: tasks among raters' own, rules about raters, figures of care, and checks in files."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest

from accounts.models import Person
from annotation.desk.statements import RaterState
from annotation.fragments import Fragment
from annotation.models import Rater, Slot, Study
from annotation.studies.file_sections import StudySection, by_model
from annotation.studies.notices import StudyNotice
from annotation.study_tabs import Tab
from config.part import Part
from files.writing.table_list import StudyTable, computed_by
from parts.checks.claiming import take_due_checks
from parts.checks.columns import CHECKS, has_checks
from parts.checks.draws import checks_among, expected_checks
from parts.checks.erasing import ERASING
from parts.checks.models import ATTENTION, RaterNotice
from parts.checks.rules import open_notices
from parts.checks.settings import CheckSettings
from reports.figures.rater_columns import RaterColumn

CHUNK = 500
SHARES = "parts.checks.answered.shares_by_kind"
RATER_CHECKS = "reports:rater_checks"


def open_notices_of(request: HttpRequest, study: Study) -> dict[str, Any]:
    return {"notices": list(open_notices(study))}


def whether_checked(request: HttpRequest, study: Study) -> dict[str, Any]:
    return {"has_checks": "checks" in study.recruiting}


class ChecksPart(Part):
    sections = (StudySection("recruiting.checks", by_model(CheckSettings)),)
    pools = {ATTENTION: "Attention"}
    mixes_tasks = True
    urls = "parts.checks.urls"
    tabs = (Tab(350, "Settings", "Hidden checks", "checks:check_settings"),)
    fragments = {
        "rater_checks.lead": (Fragment("checks/_lead.html", whether_checked),),
        "rater_checks.before": (Fragment("checks/_notices.html", open_notices_of),),
    }
    rater_columns = (
        RaterColumn("gold", "Gold", "the share of checks with known answers that were right", SHARES, True),
        RaterColumn(
            "twins", "Twins", "the share of checks with a damaged output in which it was found worse than before",
            SHARES, True,
        ),
        RaterColumn("repeats", "Repeats", "the share of questions answered as before when a task came again", SHARES),
    )  # fmt: skip
    importers = {"checks": "parts.checks.filed.CheckImport"}
    tables = (
        StudyTable(
            "checks", "current answers of people to hidden checks of their work", CHECKS,
            computed_by("parts.checks.filed.shown_check_lines"), has_checks,
        ),
    )  # fmt: skip
    notices = (
        StudyNotice(
            lambda study: open_notices(study).filter(paused=True), RATER_CHECKS, "{n} rater was paused by a rule",
            "{n} raters were paused by a rule",
        ),
        StudyNotice(
            lambda study: open_notices(study).filter(paused=False), RATER_CHECKS, "{n} rater to look at, by a rule",
            "{n} raters to look at, by a rule",
        ),
    )  # fmt: skip
    erasing = ERASING
    hidden_actions = ("rater noticed", "rater notice answered")

    def own_slots(self, study: Study, state: RaterState, until: datetime) -> list[Slot]:
        return take_due_checks(study, state, until)

    def tasks_among(self, study: Study, rater: Rater, tasks: int, items: int) -> int:
        return checks_among(study, rater, tasks, items)

    def expected_among(self, study: Study, tasks: int) -> int:
        return expected_checks(study, tasks)

    def awaits_decision(self, rater: OuterRef | Rater) -> Q:
        return Q(Exists(RaterNotice.objects.filter(rater=rater, paused=True, answered_at=None)))

    def own_data(self, person: Person) -> list[tuple[str, Iterator[dict[str, Any]]]]:
        """Return when rules paused the person, and a researcher decided; without the rule, which would tell checks."""
        return [("pauses_by_rules", _pauses_by_rules(person))]


def _pauses_by_rules(person: Person) -> Iterator[dict[str, Any]]:
    rows = RaterNotice.objects.filter(rater__person=person, paused=True).select_related("rater__study")
    for notice in rows.order_by("pk").iterator(CHUNK):
        yield {"study": notice.rater.study.slug, "from": notice.at, "decided_at": notice.answered_at}


PART = ChecksPart()
