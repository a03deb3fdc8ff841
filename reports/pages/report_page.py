"""The context of a report's page, from kept reports alone."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import prefetch_related_objects
from django.http import QueryDict
from django.urls import reverse
from django.utils.text import slugify

from accounts.models import Person
from agreement.catalogue.report_catalogue import FIGURES
from annotation.blinding import blinding_state
from annotation.members.standing import excluded
from annotation.models import Rater, Study
from annotation.studies.study_progress import StudyProgress
from reports.figures.protocol_figures import ProtocolFigures, protocol_figures
from reports.figures.rows.rater_shares import RaterShare, kinds_in, machines_in
from reports.kept.kept_reports import Kept, kept_reports
from reports.pages.display.counted_items import counted_items
from reports.pages.display.kept_status import KeptStatus
from reports.pages.display.page_files import file_links, texts_of
from reports.pages.display.plot_data import PlotData
from reports.pages.display.question_sections import QuestionSection, dimensions, question_sections
from reports.pages.display.rater_table import RATERS, rater_table
from reports.pages.display.row_order import Sorting
from reports.pages.display.study_details import study_details, with_details
from reports.report_kinds.agreement import WITHOUT, agreement_choices
from reports.report_kinds.details import details_choices
from reports.report_kinds.disagreement import disagreement_choices

PAIRED = ("choice", "rank")
"""Levels of questions with choices within pairs."""
RATERS_KEY = slugify(RATERS.title)


@dataclass(frozen=True)
class ReportPage:
    """The kept reports of a page, and what the reader chose."""

    study: Study
    chosen: Mapping[str, Any]
    agreement: Kept
    raters: Kept
    own: ProtocolFigures | None
    of_protocol: Kept | None
    status: KeptStatus
    details: Kept
    disagreement: Kept | None
    sorting: Sorting

    @classmethod
    def of(cls, study: Study, chosen: Mapping[str, Any], query: QueryDict, asker: Person | None = None) -> "ReportPage":
        """Read the reports, and request those that are not current, for `asker`. Raises ImportPendingError."""
        kinds, names = chosen["kinds"], chosen["raters"]
        by_category = chosen["by"] == "category"
        own = protocol_figures(study)
        of_figures = chosen["excluded"], chosen["pair_coding"]
        wanted = {
            "agreement": agreement_choices(kinds, names, chosen["guidelines"], by_category, *of_figures),
            "raters": {"kinds": sorted({*kinds}), "raters": sorted({*names})},
            **({own.report_kind: {"labeller": chosen["labeller"]}} if own else {}),
            "details": details_choices(kinds, names, chosen["guidelines"], *of_figures),
        }  # fmt: skip
        if not names:
            wanted["disagreement"] = disagreement_choices(kinds, chosen["guidelines"], *of_figures)
        kept = dict(zip(wanted, kept_reports(study, list(wanted.items()), asker), strict=True))
        agreement, raters, details = kept["agreement"], kept["raters"], kept["details"]
        of_protocol, compared = kept[own.report_kind] if own else None, kept.get("disagreement")
        prefetch_related_objects([study], "questions")
        reports = [agreement, raters, *([of_protocol] if of_protocol else [])]
        later = [details, *([compared] if compared else [])]
        status, sorting = KeptStatus.of(reports, query, later), Sorting.of(query)
        return cls(study, chosen, agreement, raters, own, of_protocol, status, details, compared, sorting)

    def context(self) -> dict[str, Any]:
        """The values of the page's templates; without figures, only those of the placeholder."""
        if self.status.placeholder:
            return {"study": self.study, "status": self.status}
        study, figures, of_raters = self.study, self.agreement.figures, self.raters.figures
        return {
            "study": study,
            "status": self.status,
            **self._choices(figures, of_raters),
            **self._section(),
            "surplus": figures["surplus"],
            "facts": figures,
            "blinding": blinding_state(study),
            "progress": StudyProgress(**of_raters["progress"]),
            "pooled_raters": figures.get("pooled_raters"),
            "questions": self._questions(),
            "details": study_details(self.details.figures_so_far, self.sorting),
            "dimensions": dimensions(study, figures, self.sorting),
            "histogram_figure": FIGURES["local_alpha.histogram"],
            "raters": [RaterShare(**one) for one in of_raters["raters"]],
            "raters_key": RATERS_KEY,
            **file_links(reverse("reports:report", args=[study.slug]), self.status),
        }

    def files(self) -> dict[str, dict[str, Any]]:
        """All tables of the page as plain values, by the keys in their addresses; empty if nothing is computed yet."""
        if self.status.placeholder:
            return {}
        found: dict[str, dict[str, Any]] = {}
        for question in self._questions():
            found |= texts_of(question.every_table, question.key)
        details = study_details(self.details.figures_so_far, self.sorting)
        found |= texts_of(details.tables if details else [])
        between = dimensions(self.study, self.agreement.figures, self.sorting)
        found |= texts_of([between] if between else [])
        found |= texts_of(self._section()["section"].tables if self.own else [])
        raters = [RaterShare(**one) for one in self.raters.figures["raters"]]
        return found | texts_of([replace(rater_table(raters), sorting=self.sorting)])

    def plots(self) -> dict[str, PlotData]:
        """All plots of the page by the keys in their addresses; empty if nothing is computed yet."""
        if self.status.placeholder:
            return {}
        made = [plot for question in self._questions() for plot in question.every_plot]
        return {plot.key: plot for plot in [*made, *(self._section()["section"].plots if self.own else [])]}

    def _questions(self) -> list[QuestionSection]:
        figures = self.agreement.figures
        leads = counted_items(self.study, self.chosen, figures["guidelines"])
        sections = [
            replace(one, histogram=leads[one.key].histogram(one.histogram))
            if one.histogram and one.key in leads
            else one
            for one in question_sections(self.study, figures, self.sorting)
        ]
        return with_details(self.study, sections, self.details.figures_so_far, self.disagreement, self.sorting, leads)

    def _choices(self, figures: dict[str, Any], of_raters: dict[str, Any]) -> dict[str, Any]:
        """What can be chosen, what is chosen, and how many answers of machines that leaves out, by the reason."""
        kinds, names, present = frozenset(self.chosen["kinds"]), self.chosen["raters"], kinds_in(self.study)
        questions = figures["questions"].values()
        left_out = {name: sum(one.get(name, 0) for one in questions) for name in ("other_shapes", "other_reruns")}
        return {
            "kinds": [(kind.value, kind.label, kind.value in kinds) for kind in Rater.Kind if kind in present],
            "names": names,
            "machines": [(name, name in names) for name in machines_in(self.study)],
            "versions": figures["guidelines"] | _offered(figures["guidelines"]),
            "has_categories": of_raters["has_categories"],
            "by_category": self.chosen["by"] == "category",
            "has_excluded": self.chosen["excluded"] == WITHOUT or excluded(self.study).exists(),
            "left_out": figures.get("excluded"),
            "has_pairs": any(one["level"] in PAIRED for one in questions),
            "pairs_by_name": "pair_coding" in figures,
            **left_out,
        }

    def _section(self) -> dict[str, Any]:
        """The section that the study's protocol adds to the page, with its template."""
        if self.own is None or self.of_protocol is None:
            return {}
        section = self.own.section(self.of_protocol.figures).sorted_by(self.sorting)
        return {"section": section, "section_template": self.own.template}


def _offered(guidelines: dict[str, Any]) -> dict[str, Any]:
    """The versions to choose from with their numbers of ratings, and the chosen one."""
    chosen = guidelines["version"] if guidelines["version"] is not None else guidelines.get("shown")
    counts = {**guidelines.get("machines", {}), **guidelines["ratings"]}
    return {
        "offered": {number: counts[number] for number in sorted(set(counts) - {"none"}, key=int)},
        "chosen": str(chosen),
    }
