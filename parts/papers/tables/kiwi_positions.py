"""KIWI, figure 2, bottom: kinds of instructions by their place in the session."""

from agreement.intervals.bootstrap import Shares
from agreement.turns.turn_figures import KINDS, TurnRow
from agreement.turns.turn_means import TurnValue, turn_means
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of

ANCHOR = "revision-sessions"
NOTES = ("Shares of the instructions at each position in a session; intervals draw sessions.",)


class KindsByPosition(PaperTable):
    key = "kiwi_figure_2_positions"
    title = "Kinds of instructions by position"
    source = "KIWI, figure 2"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        if answers.sessions is None:
            return None
        found = answers.sessions.people
        places = sorted({turn.number for turn in found.turns})
        values: dict[tuple[str, ...], TurnValue] = {
            (str(place), kind): _is_kind(place, kind) for place in places for kind in KINDS
        }
        report = turn_means(found.turns, list(found.sessions), values, kind=Shares, replicates=answers.replicates)
        rows = [
            (str(place), [
                *(cell_of(report, ("means", str(place), kind)) for kind in KINDS),
                TableCell(float(report["n"][str(place), KINDS[0]])),
            ])
            for place in places
        ]  # fmt: skip
        columns = [TableColumn(kind, kind.capitalize(), "share", ANCHOR) for kind in KINDS]
        return TableBody("Turn", [*columns, TableColumn("turns", "Turns", "count")], rows, notes=NOTES)


def _is_kind(place: int, kind: str) -> TurnValue:
    def value(turn: TurnRow) -> float | None:
        return float(turn.kind == kind) if turn.number == place else None

    return value


TABLE = KindsByPosition()
