"""The context of a report's page, from kept reports alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from agreement.catalogue import FIGURES
from annotation.blinding import blinding_state
from annotation.models import Rater, Study
from annotation.studies.study_progress import StudyProgress
from reports.display.kept_status import KeptStatus
from reports.display.question_sections import dimensions, question_sections
from reports.kept_reports import Kept, kept_report
from reports.protocol_figures import ProtocolFigures, protocol_figures
from reports.report_kinds.agreement import agreement_choices
from reports.rows.rater_shares import RaterShare, kinds_in, machines_in


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

    @classmethod
    def of(cls, study: Study, chosen: Mapping[str, Any], query: QueryDict) -> "ReportPage":
        """Read the reports, and request those that are not current. Raises ImportPendingError."""
        kinds, names = chosen["kinds"], chosen["raters"]
        by_category = chosen["by"] == "category"
        agreement = kept_report(
            study, "agreement", agreement_choices(kinds, names, chosen["guidelines"], by_category)
        )  # fmt: skip
        raters = kept_report(study, "raters", {"kinds": sorted(kinds), "raters": sorted(names)})
        own = protocol_figures(study)
        of_protocol = kept_report(study, own.report_kind, {"labeller": chosen["labeller"]}) if own else None
        reports = [agreement, raters, *([of_protocol] if of_protocol else [])]
        return cls(study, chosen, agreement, raters, own, of_protocol, KeptStatus.of(reports, query))

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
            "blinding": blinding_state(study),
            "progress": StudyProgress(**of_raters["progress"]),
            "questions": question_sections(study, figures),
            "dimensions": dimensions(study, figures),
            "histogram_figure": FIGURES["local_alpha.histogram"],
            "raters": [RaterShare(**one) for one in of_raters["raters"]],
        }

    def _choices(self, figures: dict[str, Any], of_raters: dict[str, Any]) -> dict[str, Any]:
        """What can be chosen, what is chosen, and how many answers of machines that leaves out, by the reason."""
        kinds, names, present = frozenset(self.chosen["kinds"]), self.chosen["raters"], kinds_in(self.study)
        questions = figures["questions"].values()
        left_out = {name: sum(one.get(name, 0) for one in questions) for name in ("other_shapes", "other_reruns")}
        return {
            "kinds": [(kind.value, kind.label, kind.value in kinds) for kind in Rater.Kind if kind in present],
            "names": names,
            "machines": [(name, name in names) for name in machines_in(self.study)],
            "versions": figures["guidelines"] | {"shown": str(figures["guidelines"]["version"])},
            "has_categories": of_raters["has_categories"],
            "by_category": self.chosen["by"] == "category",
            **left_out,
        }

    def _section(self) -> dict[str, Any]:
        """The section that the study's protocol adds to the page, with its template."""
        if self.own is None or self.of_protocol is None:
            return {}
        return {"section": self.own.section(self.of_protocol.figures), "section_template": self.own.template}
