"""Reads registered plans, and writes them as files: the JSON that the hash is of, and Markdown."""

from django.template.loader import render_to_string

from agreement.catalogue.report_catalogue import FIGURES
from annotation.models import Study
from config.background.rows import Status
from parts.preregistration.models import Preregistration

FOLDER = "preregistration"
PLAN_SCHEMA = "interrater-plan/1"


def registered_plans(study: Study) -> list[Preregistration]:
    """The study's registered plans, the newest first."""
    return list(Preregistration.objects.filter(study=study, status=Status.DONE).order_by("-number"))


def plan_text(row: Preregistration, ending: str) -> str:
    """A registered plan as the text of a file that ends in .json or .md."""
    if ending == "json":
        return row.body
    plan = row.parsed_body()
    figures = [(name, FIGURES[name].title if name in FIGURES else name) for name in plan.get("figures", ())]
    return str(render_to_string("preregistration/plan.md", {"row": row, "plan": plan, "figures": figures}))


def plan_files(study: Study, endings: tuple[str, ...]) -> dict[str, str]:
    """The plans in each of the forms, by the names of their files."""
    plans = registered_plans(study)
    return {f"{FOLDER}/{plan.number}.{ending}": plan_text(plan, ending) for plan in plans for ending in endings}
