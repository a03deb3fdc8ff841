"""HREF, section 4.4 and figure 6: how many items it takes to tell systems apart."""

import numpy as np

from parts.papers.baseline_preferences import baseline_preferences
from parts.papers.figures.system_separation import sample_sizes, separation_report
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn

ANCHOR = "telling-systems-apart"
FIGURES = (
    ("p_quantile_90", "p, 90th percentile", "p"), ("share_below_05", "Share with p < 0.05", "share"),
    ("share_below_05_sd", "Its deviation", "share"),
)  # fmt: skip
ALL = "all items"
ONE_SAMPLE = "all items are one sample"
NOTES = (
    "Paired t-tests between all pairs of systems, on 1 for a win or tie against the baseline and 0 for a loss. Each "
    "number of items has random samples drawn without replacement; p-values of all pairs and samples are taken "
    "together, without correction.",
    "From the number of items at which the 90th percentile falls below 0.05, 90 % of the pairs can be told apart.",
    "The row of all items tests each pair on the items that it shares; samples use the items judged for all systems.",
)


class SeparationBySize(PaperTable):
    """A part per judge; a row per number of items."""

    key = "href_6"
    title = "Telling systems apart, by number of items"
    source = "HREF, figure 6"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        rows: list[tuple[str, list[TableCell]]] = []
        parts: list[str] = []
        for one in baseline_preferences(answers):
            if len(one.table.systems) < 2:
                continue
            complete = int(np.isfinite(one.table.value).all(axis=1).sum())
            report = separation_report(one.table, sample_sizes(complete))
            undefined = report["undefined"]
            for place, entry in enumerate(report["curve"]):
                cells = [
                    TableCell(entry[name], reason=undefined.get(f"curve.{place}.{name}", "")) for name, _, _ in FIGURES
                ]
                rows.append((f"{entry['size']:,}", [*cells, TableCell(float(entry["subsets"]))]))
            tests = [row["t_p"] for row in report["comparisons"] if row["t_p"] is not None]
            quantile = float(np.quantile(tests, 0.9)) if tests else None
            rows.append((ALL, [
                TableCell(quantile, reason=undefined.get("share_below_05", "")),
                TableCell(report["share_below_05"], reason=undefined.get("share_below_05", "")),
                TableCell(None, reason=ONE_SAMPLE), TableCell(1.0),
            ]))  # fmt: skip
            parts += [one.part] * (len(report["curve"]) + 1)
        if not rows:
            return None
        columns = [TableColumn(name, title, unit, ANCHOR) for name, title, unit in FIGURES]
        return TableBody("Items", [*columns, TableColumn("samples", "Samples", "count")], rows, parts, NOTES)


TABLE = SeparationBySize()
