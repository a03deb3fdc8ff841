"""The context of the page that says why agreement is low, from a kept report alone."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.urls import reverse

from accounts.models import Person
from annotation.models import Question, Study
from annotation.questions import question_types
from managing.watching.disagreement_tables import (
    confusion_grid,
    group_tables,
    pulled_items,
    rater_grid,
    stands_out,
    whole_figures,
)
from managing.watching.disagreement_texts import GRIDS, PULLS
from reports.kept.kept_reports import kept_report
from reports.pages.display.kept_status import KeptStatus
from reports.pages.display.page_files import file_links
from reports.pages.display.printed_figures import Json
from reports.pages.display.row_order import Sorting
from reports.pages.forms import LONGEST_KEY, VersionField
from reports.report_kinds.disagreement import disagreement_choices


class DisagreementForm(forms.Form):
    """The question and the guidelines version that an address names."""

    question = forms.CharField(required=False, strip=False, max_length=LONGEST_KEY)
    guidelines = VersionField(required=False)


class DisagreementPage:
    """What the page shows for what the reader chose. Raises ImportPendingError."""

    def __init__(self, study: Study, chosen: dict[str, Any], query: QueryDict, asker: Person) -> None:
        self.study, self.chosen, self.sorting = study, chosen, Sorting.of(query)
        choices = disagreement_choices(guidelines=chosen["guidelines"])
        self.kept = kept_report(study, "disagreement", choices, asker)
        self.status = KeptStatus.of([self.kept], query)

    def context(self) -> dict[str, Any]:
        """The values of the page's templates; without figures, only those of the placeholder."""
        if self.status.placeholder:
            return {"study": self.study, "status": self.status}
        figures = self.kept.figures
        questions = list(Question.objects.filter(study=self.study).order_by("position"))
        compared = [one for one in questions if _is_compared(figures, one)]
        shown = next((one for one in compared if one.key == self.chosen["question"]), None) or _first(figures, compared)
        versions = figures["guidelines"]
        return {
            "study": self.study,
            "status": self.status,
            "versions": versions | {"shown": str(versions["version"])},
            "questions": [(one, whole_figures(figures["questions"][one.key])) for one in compared],
            "only_counted": [one for one in questions if one not in compared],
            "question": shown,
            **(self._question(shown, figures["questions"][shown.key]) if shown else {}),
            **file_links(reverse("managing:disagreement", args=[self.study.slug]), self.status),
            "file_keys": {**GRIDS, **PULLS},
        }

    def _question(self, question: Question, report: Json) -> dict[str, Any]:
        if report["reason"]:
            return {"reason": report["reason"]}
        pull = report["pull"]
        return {
            "report": report,
            "whole": whole_figures(report),
            "stands_out": stands_out(report),
            "tables": group_tables(self.study, report, _span(question), self.sorting),
            "grid": rater_grid(self.study, report["matrix"]),
            "confusion": confusion_grid(report, self.study, question.key),
            "lowering": pulled_items(self.study, pull["lowering"]),
            "raising": pulled_items(self.study, pull["raising"]),
        }


def _span(question: Question) -> float | None:
    """How long the question's scale is; None without one."""
    scale = question_types()[question.type].scale(question.spec)
    return scale[1] - scale[0] if scale else None


def _is_compared(figures: Json, question: Question) -> bool:
    return bool(figures["questions"].get(question.key, {}).get("level"))


def _first(figures: Json, compared: Sequence[Question]) -> Question | None:
    """The question with the lowest alpha, or the first."""
    alphas = {one: figures["questions"][one.key]["alpha"] for one in compared}
    known = [one for one in compared if alphas[one] is not None]
    return min(known, key=lambda one: alphas[one], default=next(iter(compared), None))
