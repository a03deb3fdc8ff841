"""KIWI, figure 2, top: how often models follow instructions, by kind of instruction."""

from agreement.intervals.bootstrap import Shares
from agreement.turns.turn_figures import KINDS, RATINGS, TurnRow
from agreement.turns.turn_means import TurnValue, turn_means
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of

ANCHOR = "revision-sessions"
ALL = "all"
NOTES = ("Shares of the turns that the session's user rated; intervals draw sessions.",)


class RatingsByKind(PaperTable):
    """A part per model, and one for all; a row per kind of instruction, and one for all."""

    key = "kiwi_figure_2"
    title = "Ratings by kind of instruction"
    source = "KIWI, figure 2"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        if answers.sessions is None:
            return None
        found = answers.sessions.people
        models = sorted(set(found.sessions.values()))
        groups = [(model, kind) for model in (*models, ALL) for kind in (*KINDS, ALL)]
        values: dict[tuple[str, ...], TurnValue] = {
            (*group, rating): _is_rated(*group, rating) for group in groups for rating in RATINGS
        }
        report = turn_means(found.turns, list(found.sessions), values, kind=Shares, replicates=answers.replicates)
        rows = [
            (kind, [
                *(cell_of(report, ("means", model, kind, rating)) for rating in RATINGS),
                TableCell(float(report["n"][model, kind, RATINGS[0]])),
            ])
            for model, kind in groups
        ]  # fmt: skip
        columns = [TableColumn(rating, rating.capitalize(), "share", ANCHOR) for rating in RATINGS]
        columns.append(TableColumn("turns", "Rated turns", "count"))
        return TableBody("Instruction", columns, rows, [model for model, _ in groups], NOTES)


def _is_rated(model: str, kind: str, rating: str) -> TurnValue:
    def value(turn: TurnRow) -> float | None:
        counts = model in (ALL, turn.model) and kind in (ALL, turn.kind) and turn.rating is not None
        return float(turn.rating == rating) if counts else None

    return value


TABLE = RatingsByKind()
