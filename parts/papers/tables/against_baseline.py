"""InstruSum, figure 3: every system against the study's baseline, by people and by judges."""

from parts.papers.figures.baseline_outcomes import baseline_report
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, TableDrawing, cell_of
from parts.papers.tables.pair_outcomes import left_out_note, only_judged_items, outcome_columns, outcomes_of

MOST_JUDGES = 5
COLUMNS = (
    *outcome_columns("outcomes-against-a-baseline"), TableColumn("words", "Words", "score"),
    TableColumn("baseline_words", "Words of the baseline", "score"), TableColumn("items", "Items", "count"),
)  # fmt: skip


class AgainstBaseline(PaperTable):
    """A row per system, question and rater, in the order of the systems' names."""

    key = "instrusum_figure_3"
    title = "Systems against the baseline"
    source = "InstruSum, figure 3"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        if answers.baseline is None:
            return None
        rows: list[tuple[str, str, list[TableCell]]] = []
        most_left_out = 0
        for key in answers.compared_questions:
            found, left_out = outcomes_of(answers, key, MOST_JUDGES)
            most_left_out = max(most_left_out, left_out)
            for rater, outcomes in found:
                report = baseline_report(only_judged_items(outcomes), answers.baseline, replicates=answers.replicates)
                rows += [
                    (f"{key}, {rater}", system, [cell_of(report, ("systems", system, one.key)) for one in COLUMNS])
                    for system in report["systems"]
                ]
        return TableBody(
            rows_are="System",
            columns=COLUMNS,
            rows=[(name, cells) for _, name, cells in rows],
            parts=[part for part, _, _ in rows],
            notes=[
                f"Shares of the judged items on which the system's output is better than that of {answers.baseline}, "
                "equally good, or worse. Scores and rankings count as choices.",
                *left_out_note(most_left_out),
            ],
            drawing=TableDrawing("bars", ["win", "tie", "loss"], "Share of items: win, tie, loss"),
        )


TABLE = AgainstBaseline()
