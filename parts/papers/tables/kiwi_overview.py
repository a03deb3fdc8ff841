"""KIWI, table 2: sessions, turns and kinds of instructions by model."""

from agreement.intervals.bootstrap import Shares
from agreement.turns.turn_figures import KINDS, TurnRow, overview
from agreement.turns.turn_means import TurnValue, turn_means, turns_per_session
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of

ANCHOR = "revision-sessions"
TOTAL = "total"
NOTES = (
    "Sessions without a turn count in the turns per session. Shares are of the turns with an instruction; intervals "
    "draw sessions.",
)


class SessionOverview(PaperTable):
    key = "kiwi_2"
    title = "Sessions and turns"
    source = "KIWI, table 2"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        if answers.sessions is None:
            return None
        found = answers.sessions.people
        counted = overview(found.turns, found.sessions)
        rates = turns_per_session(found.turns, found.sessions, replicates=answers.replicates)
        models = list(counted["models"])
        values: dict[tuple[str, ...], TurnValue] = {
            (model, kind): _is_kind(model, kind) for model in [*models, TOTAL] for kind in KINDS
        }
        kinds = turn_means(found.turns, list(found.sessions), values, kind=Shares, replicates=answers.replicates)
        rows = []
        for model, of, path in [
            *((model, counted["models"][model], ("models", model)) for model in models),
            (TOTAL, counted["total"], ("total",)),
        ]:
            counts = [TableCell(float(of[name])) for name in ("sessions", "turns", "edited")]
            shares = [cell_of(kinds, ("means", model, kind)) for kind in KINDS]
            rows.append((model, [*counts, cell_of(rates, path), *shares]))
        columns = [
            TableColumn("sessions", "Sessions", "count"), TableColumn("turns", "Turns", "count"),
            TableColumn("edited", "Edited", "count"), TableColumn("turns_per_session", "Per session", "score", ANCHOR),
            *(TableColumn(kind, kind.capitalize(), "share", ANCHOR) for kind in KINDS),
        ]  # fmt: skip
        return TableBody("Model", columns, rows, notes=NOTES)


def _is_kind(model: str, kind: str) -> TurnValue:
    def value(turn: TurnRow) -> float | None:
        return float(turn.kind == kind) if model in (TOTAL, turn.model) else None

    return value


TABLE = SessionOverview()
