"""InstruSum, table 11: systems compared on the items for which their outputs are of similar length."""

from typing import Any

from parts.papers.figures.similar_length import SHARE, similar_length_report
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of
from parts.papers.tables.pair_outcomes import left_out_note, only_judged_items, outcome_columns, outcomes_of

MOST_JUDGES = 5
MOST_SYSTEMS = 10
"""Without a baseline all pairs are compared, by fewer raters, if there are not more systems."""
NO_LENGTH = "the length of an output is unknown"
COLUMNS = (
    *outcome_columns("outputs-of-similar-length"), TableColumn("words", "Words", "score"),
    TableColumn("other_words", "Words of the other", "score"), TableColumn("items", "Items", "count"),
    TableColumn("most_words_apart", "Most words apart", "count"),
)  # fmt: skip


class SimilarLengths(PaperTable):
    """A row per pair of systems, question and rater; only pairs with the baseline if there is one."""

    key = "instrusum_11"
    title = "Systems compared at similar lengths"
    source = "InstruSum, table 11"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        baseline = answers.baseline
        if baseline is None and len(answers.codes.arrays.systems) > MOST_SYSTEMS:
            return None
        rows: list[tuple[str, str, list[TableCell]]] = []
        most_left_out = 0
        for key in answers.compared_questions:
            found, left_out = outcomes_of(answers, key, 1 if baseline is None else MOST_JUDGES)
            most_left_out = max(most_left_out, left_out)
            for rater, outcomes in found:
                report = similar_length_report(
                    only_judged_items(outcomes), baseline=baseline, replicates=answers.replicates
                )
                rows += [(f"{key}, {rater}", ", ".join(one["systems"]), _cells(one)) for one in report["pairs"]]
        return TableBody(
            rows_are="Systems",
            columns=COLUMNS,
            rows=[(name, cells) for _, name, cells in rows],
            parts=[part for part, _, _ in rows],
            notes=[
                f"For each pair of systems the {SHARE:.0%} of its items with the smallest difference in words; wins "
                "are those of the first system.",
                *left_out_note(most_left_out),
            ],
        )


def _cells(one: dict[str, Any]) -> list[TableCell]:
    words = [TableCell(mean, reason=NO_LENGTH) for mean in one["words"] or (None, None)]
    counts = [TableCell(one[name]) for name in ("items", "most_words_apart")]
    return [*(cell_of(one, outcome) for outcome in ("win", "tie", "loss")), *words, *counts]


TABLE = SimilarLengths()
