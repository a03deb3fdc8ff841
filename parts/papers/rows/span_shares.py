"""Which outputs have no confirmed span, for the questions that mark spans of outputs."""

from dataclasses import dataclass

import numpy as np

from agreement.comparisons.share_comparisons import SharedOutputs, share_comparisons, share_differences
from agreement.intervals.bootstrap import estimate
from agreement.intervals.report_entries import Report, place
from agreement.spans.span_figures import (
    BOTH_WAYS,
    error_free_shares,
    outputs_without_confirmed_span,
    share_without_confirmed_span,
    undecided_outputs,
)
from annotation.models import Question
from annotation.questions import question_types
from reports.figures.rows import Choice
from reports.figures.rows.rated_items import RatedItems
from reports.figures.rows.span_rows import spans

SPANS = "span"
SHARES = "system_without_confirmed_span"


@dataclass(frozen=True)
class SpanShares:
    """The outputs with an answer, those free of confirmed spans and those undecided, by the study's item codes."""

    shared: SharedOutputs

    @property
    def undecided(self) -> int:
        return int(self.shared.undecided.sum())

    def report(self, replicates: int, seed: int = 0) -> Report:
        """The shares of systems with intervals, and the entries of `span_report` that belong to them."""
        answered = np.any(self.shared.counts + self.shared.undecided, axis=1)
        own = self.shared.of_items(answered)
        differences = share_differences(own)
        shares = [share_without_confirmed_span(own), *error_free_shares(own)]
        figures = [*shares, *([] if differences is None else [differences])]
        estimates = estimate(figures, int(answered.sum()), replicates, seed)
        report: Report = {}
        undefined: dict[str, str] = {}
        place(report, undefined, {key: figure for key, figure in estimates.items() if key[0] in (SHARES, *BOTH_WAYS)})
        report["system_undecided"] = undecided_outputs(own)
        report["comparisons"], reasons = share_comparisons(own, estimates)
        return {**report, "undefined": undefined | reasons}

    def of_outputs(
        self, item: np.ndarray, system: np.ndarray, systems: tuple[str, ...], undecided: float = np.nan
    ) -> np.ndarray:
        """1 for outputs free of confirmed spans, 0 for others, `undecided` for those, NaN without an answer; (O,).

        `item` and `system` are the outputs' codes, the latter in `systems`.
        """
        column = {name: code for code, name in enumerate(self.shared.systems)}
        code = np.array([column.get(name, -1) for name in systems], dtype=np.int64)[system]
        known = code >= 0
        found = np.full(item.size, np.nan)
        shared = self.shared
        counts, free, open_ = (one[item[known], code[known]] for one in (shared.counts, shared.free, shared.undecided))
        found[known] = np.where(counts > 0, free, np.where(open_ > 0, undecided, np.nan))
        return found


def span_shares(rated: RatedItems, question: Question, choice: Choice) -> SpanShares | None:
    """The shares of a question about spans of outputs; None for other questions, and without an answer."""
    if question_types()[question.type].level != SPANS or question.spec.get("on") == "document":
        return None
    marked = spans(rated, question, choice)
    if not marked.text.size:
        return None
    return SpanShares(outputs_without_confirmed_span(marked, int(rated.items.size)))
