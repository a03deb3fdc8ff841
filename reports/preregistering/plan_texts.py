"""A registered plan as a file: the JSON that its hash is of, and Markdown."""

from django.template.loader import render_to_string

from agreement.catalogue import FIGURES
from reports.models import Preregistration


def plan_text(row: Preregistration, ending: str) -> str:
    """A registered plan as the text of a file that ends in .json or .md."""
    if ending == "json":
        return row.body
    plan = row.parsed_body()
    figures = [(name, FIGURES[name].title if name in FIGURES else name) for name in plan.get("figures", ())]
    return str(render_to_string("reports/plan.md", {"row": row, "plan": plan, "figures": figures}))
