"""AlpacaEval: win rates in which each choice counts with the probability that the judge gave it."""

import numpy as np

from parts.papers.figures.weighted_wins import weighted_win_report
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of
from parts.papers.rows.choice_weights import ChoiceWeights, choice_weights

ANCHOR = "weighted-win-rates"
COLUMNS = (
    TableColumn("weighted_win_rate", "Weighted win rate", anchor=ANCHOR),
    TableColumn("win_rate", "Win rate, ties half", anchor=ANCHOR),
    TableColumn("comparisons", "Comparisons", "count"),
    TableColumn("items", "Items", "count"),
)
NOTE = (
    "Over all comparisons of a system's outputs. The weight of a choice is the probability that the judge gave it; "
    "without one, a choice weighs 1 and a tie 1/2."
)


class WeightedWinRates(PaperTable):
    """A row per system, question and judge that gave probabilities."""

    key = "alpaca_eval_wins"
    title = "Weighted win rates"
    source = "Length-Controlled AlpacaEval, section 2"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        rows: list[tuple[str, list[TableCell]]] = []
        parts: list[str] = []
        asked = answers.compared_questions
        for key in asked:
            for pk, complete in answers.complete(key).items():
                found = choice_weights(answers.rated, complete.reruns)
                if not found.has_weights:
                    continue
                own = _rows(found)
                rows += own
                judge = answers.raters[pk].name
                parts += [judge if len(asked) == 1 else f"{key}: {judge}"] * len(own)
        return TableBody("System", COLUMNS, rows, parts, [NOTE]) if rows else None


def _rows(found: ChoiceWeights) -> list[tuple[str, list[TableCell]]]:
    """The systems' rows, the best first."""
    names, system = np.unique(found.systems, return_inverse=True)
    weight, won = np.array(found.weights), np.array(found.won)
    report = weighted_win_report(np.array(found.items), system, weight, won, names.tolist())
    best = sorted(report["systems"], key=lambda name: (-report["systems"][name]["weighted_win_rate"], name))
    return [(name, [cell_of(report, ("systems", name, column.key)) for column in COLUMNS]) for name in best]


TABLE = WeightedWinRates()
