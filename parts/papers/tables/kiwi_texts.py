"""KIWI, table 6: words, lengths and edit distances of turns that follow their instruction."""

from agreement.turns.turn_figures import TEXT_FIGURES, TurnRow, has_good_target, merged_types, text_measures
from agreement.turns.turn_means import TurnValue, turn_means
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of

ANCHOR = "words-and-edits"
TOTAL = "total"
TITLES = (
    "Words, instruction", "Words, source", "Words, target", "Length ratio", "Edit distance", "Edit ratio",
)  # fmt: skip
NOTES = (
    "Means over the turns rated good or edited until they were; the target is the edited answer if there is one. "
    "Distances are in tokens, ratios to the source, and a mean of ratios is not the ratio of the means. Intervals draw "
    "sessions.",
)
Measured = dict[tuple[str, int], tuple[float | None, ...]]


class TextFigures(PaperTable):
    """Parts: types by each labeller, kinds, models, and all turns."""

    key = "kiwi_6"
    title = "Lengths and edits"
    source = "KIWI, table 6"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        if answers.sessions is None:
            return None
        found = answers.sessions.people
        turns = [turn for turn in found.turns if has_good_target(turn)]
        measured = {(turn.session, turn.number): text_measures(turn) for turn in turns}
        groups: list[tuple[str, str, set[tuple[str, int]]]] = []
        for labeller, rows in answers.sessions.labelled("instruction_type"):
            names = merged_types(rows.turns)
            own = {(turn.session, turn.number): names.get(turn.instruction_type or "") for turn in rows.turns}
            groups += _grouped(f"types, {labeller}", {turn: own[turn] for turn in measured})
        groups += _grouped("kinds", {(turn.session, turn.number): turn.kind for turn in turns})
        groups += _grouped("models", {(turn.session, turn.number): turn.model for turn in turns})
        groups.append((TOTAL, TOTAL, set(measured)))
        values: dict[tuple[str, ...], TurnValue] = {
            (part, name, figure): _measure(measured, own, column)
            for part, name, own in groups for column, figure in enumerate(TEXT_FIGURES)
        }  # fmt: skip
        report = turn_means(turns, list(found.sessions), values, replicates=answers.replicates)
        cells = [
            (name, [
                *(cell_of(report, ("means", part, name, figure)) for figure in TEXT_FIGURES),
                TableCell(float(len(own))),
            ])
            for part, name, own in groups
        ]  # fmt: skip
        columns = [
            TableColumn(figure, title, "score", ANCHOR) for figure, title in zip(TEXT_FIGURES, TITLES, strict=True)
        ]
        columns.append(TableColumn("turns", "Turns", "count"))
        return TableBody("Turns", columns, cells, [part for part, _, _ in groups], NOTES)


def _grouped(part: str, names: dict[tuple[str, int], str | None]) -> list[tuple[str, str, set[tuple[str, int]]]]:
    """The turns of each name, in the order of the names."""
    return [
        (part, name, {turn for turn, own in names.items() if own == name})
        for name in sorted({name for name in names.values() if name is not None})
    ]


def _measure(measured: Measured, own: set[tuple[str, int]], column: int) -> TurnValue:
    def value(turn: TurnRow) -> float | None:
        place = (turn.session, turn.number)
        return measured[place][column] if place in own else None

    return value


TABLE = TextFigures()
