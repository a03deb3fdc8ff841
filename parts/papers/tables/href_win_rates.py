"""HREF, section 4.3: expected win rates of systems against the baseline, overall and by category, as a leaderboard."""

from parts.papers.baseline_preferences import baseline_preferences
from parts.papers.figures.category_agreement import item_categories
from parts.papers.figures.win_rates import NAME, win_rate_report
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of

ANCHOR = "expected-win-rates"


class ExpectedWinRates(PaperTable):
    """A part per judge, and one for people; systems are in the order of their rates."""

    key = "href_4"
    title = "Expected win rates against the baseline"
    source = "HREF, section 4.3"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        rows: list[tuple[str, list[TableCell]]] = []
        parts: list[str] = []
        categories, baseline = None, ""
        for one in baseline_preferences(answers):
            categories, baseline = item_categories(answers.rated.categories), one.baseline
            report = win_rate_report(one.table, one.baseline, categories, replicates=answers.replicates)
            for system in report["systems"]:
                place = ("systems", system)
                by_category = [cell_of(report, (*place, "categories", name, NAME)) for name in categories.names]
                rows.append((system, [
                    cell_of(report, (*place, "rank")), cell_of(report, (*place, NAME)), *by_category,
                    cell_of(report, (*place, "items")),
                ]))  # fmt: skip
            parts += [one.part] * len(report["systems"])
        if categories is None:
            return None
        columns = [TableColumn("rank", "Rank", "count", ANCHOR), TableColumn("all", "All", anchor=ANCHOR)]
        columns += [TableColumn(f"category:{name}", name, anchor=ANCHOR) for name in categories.names]
        notes = [
            f"The share of items on which the judge prefers the system to {baseline} or calls a tie. An item that was "
            "judged several times counts once, with the share of its judgments.",
            "Ranks have intervals over draws of items; systems whose intervals overlap widely should not be called "
            "better or worse.",
        ]
        return TableBody("System", [*columns, TableColumn("items", "Items", "count")], rows, parts, notes)


TABLE = ExpectedWinRates()
