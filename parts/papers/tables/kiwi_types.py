"""KIWI, table 3: what users ask for, how often the models do it, and what each type means."""

from agreement.intervals.bootstrap import Shares
from agreement.turns.turn_figures import GOOD, KINDS, TurnRow, instruction_types, merged_types
from agreement.turns.turn_means import TurnValue, turn_means
from annotation.models import Study
from parts.papers.figures.labelled_examples import LabelledTurn, labelled_examples
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of, clipped, text_cell
from reports.figures.rows.turn_rows import SessionRows
from sessions.label_definitions import label_definitions
from sessions.turn_labels import Kind

ANCHOR = "labels-with-examples"
NO_DEFINITION = "the prompt defines no such label"
NOTES = (
    "Shares are of the turns with a type, by people's labels or by those of one run; the columns of models have the "
    "share rated good of the type's rated turns. Intervals draw sessions.",
    "Types with less than 5 % of the turns are merged into others. An example is the type's first turn in an order "
    "drawn by seed.",
)


class InstructionTypes(PaperTable):
    """A part per labeller: people, and each run that labelled instructions."""

    key = "kiwi_3"
    title = "Types of instructions"
    source = "KIWI, table 3"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        if answers.sessions is None:
            return None
        rows: list[tuple[str, list[TableCell]]] = []
        parts: list[str] = []
        notes = list(NOTES)
        models = sorted(set(answers.sessions.people.sessions.values()))
        for labeller, found in answers.sessions.labelled("instruction_type"):
            own = _rows(answers.study, found, models, answers.replicates)
            rows += own
            parts += [labeller] * len(own)
            merged = instruction_types(found.turns)["merged"]
            if merged:
                notes.append(f"Merged into others, {labeller}: {', '.join(merged)}.")
        if not rows:
            return None
        columns = [
            TableColumn("share", "Share", "share", ANCHOR),
            *(TableColumn(kind, kind.capitalize(), "share", ANCHOR) for kind in KINDS),
            *(TableColumn(f"good:{model}", f"Good, {model}", "share", ANCHOR) for model in models),
            TableColumn("turns", "Turns", "count"), TableColumn("definition", "Definition"),
            TableColumn("example", "Example"),
        ]  # fmt: skip
        return TableBody("Type", columns, rows, parts, notes)


def _rows(study: Study, found: SessionRows, models: list[str], replicates: int) -> list[tuple[str, list[TableCell]]]:
    definitions = {name: one.text for name, one in label_definitions(study, Kind.INSTRUCTION_TYPE).items()}
    typed = [turn for turn in found.turns if turn.instruction_type is not None]
    told = labelled_examples(
        [LabelledTurn(turn.session, turn.number, turn.instruction_type or "", turn.instruction) for turn in typed],
        definitions,
    )["labels"]  # fmt: skip
    reported, types = merged_types(found.turns), list(instruction_types(found.turns)["types"])
    values: dict[tuple[str, ...], TurnValue] = {}
    for name in types:
        values[name, "share"] = lambda turn, name=name: float(reported[turn.instruction_type] == name)  # type: ignore[misc]
        for kind in KINDS:
            values[name, kind] = _within(reported, name, lambda turn, kind=kind: float(turn.kind == kind))  # type: ignore[misc]
        for model in models:
            values[name, "good", model] = _within(reported, name, _good_by(model))
    report = turn_means(typed, list(found.sessions), values, kind=Shares, replicates=replicates)
    return [
        (name, [
            cell_of(report, ("means", name, "share")), *(cell_of(report, ("means", name, kind)) for kind in KINDS),
            *(cell_of(report, ("means", name, "good", model)) for model in models),
            TableCell(float(report["n"][name, KINDS[0]])), text_cell(told[name]["definition"], NO_DEFINITION),
            text_cell(clipped((told[name]["example"] or {}).get("instruction"))),
        ])
        for name in types
    ]  # fmt: skip


def _within(reported: dict[str, str], name: str, value: TurnValue) -> TurnValue:
    """The value of the turns of a type; others do not count."""
    return lambda turn: value(turn) if reported.get(turn.instruction_type or "") == name else None


def _good_by(model: str) -> TurnValue:
    def value(turn: TurnRow) -> float | None:
        return float(turn.rating == GOOD) if turn.model == model and turn.rating is not None else None

    return value


TABLE = InstructionTypes()
