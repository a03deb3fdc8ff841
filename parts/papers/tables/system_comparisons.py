"""InstruSum, footnote 8: whether systems differ in people's scores, and in the shares of outputs without an error."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agreement.comparisons.mean_comparisons import mean_comparisons
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn
from parts.papers.tables.system_scores import scored_questions

MOST_SYSTEMS = 20
"""With more systems the table would be too long; the agreement report has all pairs."""
MEANS, SHARES = ("t_p", "wilcoxon_p"), ("mcnemar_p", "exact_p")
COLUMNS = (
    TableColumn("difference", "Difference", "difference", "comparisons-of-systems"),
    TableColumn("items", "Items", "count"),
    TableColumn("p", "p, paired t or McNemar", "p", "comparisons-of-systems"),
    TableColumn("p_holm", "p, paired t or McNemar, Holm", "p", "comparisons-of-systems"),
    TableColumn("second_p", "p, Wilcoxon or exact McNemar", "p", "comparisons-of-systems"),
    TableColumn("second_p_holm", "p, Wilcoxon or exact McNemar, Holm", "p", "comparisons-of-systems"),
)

Json = Mapping[str, Any]
Row = tuple[str, str, list[TableCell]]


class SystemComparisons(PaperTable):
    """A row per pair of systems and question."""

    key = "instrusum_footnote_8"
    title = "Differences between systems"
    source = "InstruSum, footnote 8"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        if len(answers.codes.arrays.systems) > MOST_SYSTEMS:
            return None
        rows: list[Row] = []
        for key in scored_questions(answers):
            people, _ = answers.answered(key)
            means = people.scores.means(people.outputs)
            known = np.isfinite(means)
            item, system = people.outputs.item[known], people.outputs.system[known]
            rows += _rows(key, *mean_comparisons(item, system, means[known], people.outputs.systems), MEANS)
        for key, shares in answers.span_shares.items():
            report = shares.report(answers.replicates)
            rows += _rows(key, report["comparisons"], report["undefined"], SHARES)
        return TableBody(
            rows_are="Systems",
            columns=COLUMNS,
            rows=[(name, cells) for _, name, cells in rows],
            parts=[key for key, _, _ in rows],
            notes=[
                "The first system minus the second, over the items that have scored outputs of both. p-values are "
                "two-sided; Holm's correction is for all pairs of a question.",
                "Of scores: the paired t-test, then Wilcoxon's signed-rank test. Of outputs without a confirmed span: "
                "McNemar's test, then the exact one.",
            ],
        )


def _rows(key: str, comparisons: Sequence[Json], undefined: Json, tests: Sequence[str]) -> list[Row]:
    """The rows of one question's comparisons, whose p-values are those of `tests`."""
    return [(key, ", ".join(one["systems"]), _cells(one, undefined, tests)) for one in comparisons]


def _cells(one: Json, undefined: Json, tests: Sequence[str]) -> list[TableCell]:
    name = ".".join(("comparisons", *one["systems"]))
    low, high = one.get("mean_difference_ci") or (None, None)
    t = one.get("t")
    se = abs(one["mean_difference"] / t) if t and one["mean_difference"] is not None else None
    difference = TableCell(one["mean_difference"], low, high, se, reason=undefined.get(f"{name}.mean_difference", ""))
    p = [
        TableCell(one[f"{test}{holm}"], reason=undefined.get(f"{name}.{test}", ""))
        for test in tests
        for holm in ("", "_holm")
    ]
    return [difference, TableCell(one["items"]), *p]


TABLE = SystemComparisons()
