"""HREF, section 4.3: whether the public items rank systems as the private ones do."""

import numpy as np

from annotation.models import Item
from annotation.pools import main_items
from parts.papers.baseline_preferences import baseline_preferences
from parts.papers.figures.item_set_correlation import set_correlation_report
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of

ANCHOR = "two-sets-of-items"
NOTES = (
    "Correlations over systems between their expected win rates on the public and on the private items; only systems "
    "judged on both count.",
    "Intervals draw items and keep the systems. Every draw adds noise to the rates, so they tend to lie low.",
)


class ItemSetCorrelations(PaperTable):
    key = "href_4_sets"
    title = "Public and private items"
    source = "HREF, section 4.3"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        sets = np.array(list(main_items(answers.study).order_by("pk").values_list("set", flat=True)), dtype=object)
        public, private = (np.asarray(sets == one, dtype=bool) for one in (Item.Set.PUBLIC, Item.Set.PRIVATE))
        if not (public.any() and private.any()):
            return None
        rows = []
        for one in baseline_preferences(answers):
            report = set_correlation_report(one.table, public, private, replicates=answers.replicates)
            counts = [float(count) for count in (len(report["rates"]), *report["items"])]
            figures = [cell_of(report, ("spearman",)), cell_of(report, ("pearson",))]
            rows.append((one.part, [*figures, *(TableCell(count) for count in counts)]))
        columns = [
            TableColumn("spearman", "Spearman", "alpha", ANCHOR), TableColumn("pearson", "Pearson", "alpha", ANCHOR),
            TableColumn("systems", "Systems", "count"), TableColumn("public", "Public items", "count"),
            TableColumn("private", "Private items", "count"),
        ]  # fmt: skip
        return TableBody("Judge", columns, rows, notes=NOTES)


TABLE = ItemSetCorrelations()
