"""What preregistration adds: its page, the plans in files, and a sentence on the report."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest

from annotation.fragments import Fragment
from annotation.models import Study
from annotation.study_tabs import Tab
from config.part import Part
from operating.data_check import DataCheck, digest_check
from parts.preregistration.erasing import ERASING
from parts.preregistration.registered_plans import FOLDER, plan_files, registered_plans

SQL = "SELECT id, body, sha256 FROM preregistration_preregistration WHERE status = 'done'"


def newest_plan(request: HttpRequest, study: Study) -> Mapping[str, Any] | None:
    """The plan that the report names, if there is one."""
    plans = registered_plans(study)
    return {"plan": plans[0]} if plans else None


class PreregistrationPart(Part):
    needs = ("stopping",)
    urls = "parts.preregistration.urls"
    tabs = (Tab(130, "Report", "Preregistration", "preregistration:plans", ("preregistration:*",)),)
    fragments = {"report.notices": (Fragment("preregistration/_report_notice.html", newest_plan),)}
    importers = {FOLDER: "parts.preregistration.plan_import.PlanImport"}
    folders = {FOLDER: "the plan that was registered before the first answer"}
    erasing = ERASING
    data_checks: tuple[DataCheck, ...] = (digest_check("altered_plans", "A registered plan", SQL),)

    def files(self, study: Study) -> Mapping[str, str]:
        """The plans as the JSON that their hashes are of."""
        return plan_files(study, ("json",))

    def bundled(self, study: Study) -> Mapping[str, str]:
        """The plans, to read as well."""
        return plan_files(study, ("json", "md"))


PART = PreregistrationPart()
