"""InstruSum, table 10: outputs of models against the versions that people edited them into."""

import numpy as np

from parts.papers.figures.edited_outputs import edited_report
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableColumn, TableDrawing, cell_of
from parts.papers.rows.edited_pairs import edited_pairs
from parts.papers.tables.system_scores import scored_questions

ANCHOR = "initial-and-edited-outputs"
COLUMNS = (
    TableColumn("tie", "Tie", "share", ANCHOR),
    TableColumn("initial", "Initial is better", "share", ANCHOR),
    TableColumn("edited", "Edited is better", "share", ANCHOR),
    TableColumn("edited_minus_initial", "Edited minus initial", "difference", ANCHOR),
    TableColumn("pairs", "Pairs", "count"),
    TableColumn("identical", "Identical texts", "count"),
    TableColumn("left_out", "Left out", "count"),
    TableColumn("initial_words", "Words, initial", "score"),
    TableColumn("edited_words", "Words, edited", "score"),
)


class EditedOutputs(PaperTable):
    """A row per question about outputs."""

    key = "instrusum_10"
    title = "Initial against edited outputs"
    source = "InstruSum, table 10"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        pairs, identical = edited_pairs(answers.codes)
        outputs = answers.codes.arrays
        scores = {key: answers.people(key).scores.means(outputs) for key in scored_questions(answers)}
        for key, shares in answers.span_shares.items():
            ways = (
                {", if undecided have one": 0.0, ", if undecided have none": 1.0} if shares.undecided else {"": np.nan}
            )
            for way, undecided in ways.items():
                flags = shares.of_outputs(outputs.item, outputs.system, outputs.systems, undecided)
                scores[f"{key}, without error{way}"] = flags
        if not identical.size or not scores:
            return None
        keep = np.zeros(outputs.items, dtype=bool)
        keep[outputs.item[pairs[:, 0]]] = True
        kept, code = outputs.of_items(keep)
        reports = {
            name: edited_report(own[code >= 0], code[pairs], identical, kept, replicates=answers.replicates)
            for name, own in scores.items()
        }
        return TableBody(
            rows_are="Question",
            columns=COLUMNS,
            rows=[(name, [cell_of(report, one.key) for one in COLUMNS]) for name, report in reports.items()],
            notes=[
                "The output with the higher mean score by people is better; identical texts tie. Without error: an "
                "output without a confirmed span is better than one with. Undecided outputs have spans that nobody has "
                "reviewed, and none confirmed.",
                "Left out: pairs of different texts that people did not both score.",
            ],
            drawing=TableDrawing("bars", ["edited", "tie", "initial"], "Share of pairs: edited, tie, initial"),
        )


TABLE = EditedOutputs()
