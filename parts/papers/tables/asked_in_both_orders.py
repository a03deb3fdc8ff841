"""InstruSum, table 14: judges asked about pairs in both orders, on which all people agree."""

from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of

ANCHOR = "both-orders"
COLUMNS = (
    TableColumn("accuracy", "Accuracy", "share", ANCHOR),
    TableColumn("alpha", "Alpha", "alpha", ANCHOR),
    TableColumn("self_accuracy", "Self-accuracy", "share", ANCHOR),
    TableColumn("self_alpha", "Self-alpha", "alpha", ANCHOR),
    TableColumn("pairs", "Pairs", "count"),
)


class BothOrdersLeaderboard(PaperTable):
    """A row per judge and question, the highest alpha first."""

    key = "instrusum_14"
    title = "Judges asked in both orders"
    source = "InstruSum, table 14"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        rows: list[tuple[str, str, list[TableCell]]] = []
        for key in answers.compared_questions:
            own = [
                (name, [cell_of(figures, ("both_orders", column.key)) for column in COLUMNS])
                for name, figures in answers.figures(key)["judges"].items()
                if "both_orders" in figures
            ]
            rows += [(key, name, cells) for name, cells in sorted(own, key=_by_alpha)]
        return TableBody(
            rows_are="Judge",
            columns=COLUMNS,
            rows=[(name, cells) for _, name, cells in rows],
            parts=[key for key, _, _ in rows],
            notes=[
                "Pairs for which at least two people prefer the same output and nobody another or a tie.",
                "Accuracy and alpha are means over the two orders. Self-accuracy is the share of pairs with the same "
                "output chosen in both orders, self-alpha its agreement beyond chance.",
            ],
        )


def _by_alpha(row: tuple[str, list[TableCell]]) -> tuple[float, str]:
    name, (_, alpha, *_) = row
    return (-alpha.value if isinstance(alpha.value, float) else 2.0, name)


TABLE = BothOrdersLeaderboard()
