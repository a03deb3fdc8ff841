"""Reads registered plans."""

from annotation.models import Study
from config.background.rows import Status
from reports.models import Preregistration

PLAN_SCHEMA = "interrater-plan/1"


def registered_plans(study: Study) -> list[Preregistration]:
    """The study's registered plans, the newest first."""
    return list(Preregistration.objects.filter(study=study, status=Status.DONE).order_by("-number"))
