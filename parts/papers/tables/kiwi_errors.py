"""KIWI, table 4: what went wrong in turns rated neutral or bad."""

from agreement.intervals.bootstrap import Shares
from agreement.turns.turn_figures import GOOD, error_categories
from agreement.turns.turn_means import TurnValue, turn_means
from parts.papers.figures.labelled_examples import LabelledTurn, labelled_examples
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of, clipped, text_cell
from parts.papers.session_answers import SessionAnswers
from reports.figures.rows.turn_rows import SessionRows
from sessions.label_definitions import label_definitions
from sessions.turn_labels import Kind

ANCHOR = "labels-with-examples"
NO_DEFINITION = "the prompt defines no such label"
NO_EXAMPLE = "no turn has this label"
NO_COMMENT = "the turn has no comment"
NOTES = (
    "Shares are of the turns rated neutral or bad that have a category, by people's labels or by those of one run. "
    "Intervals draw sessions. An example is the category's first turn in an order drawn by seed.",
)


class ErrorCategories(PaperTable):
    """A part per labeller: people, and each run that labelled errors."""

    key = "kiwi_4"
    title = "Categories of errors"
    source = "KIWI, table 4"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        sessions = answers.sessions
        if sessions is None:
            return None
        rows: list[tuple[str, list[TableCell]]] = []
        parts: list[str] = []
        notes = list(NOTES)
        for labeller, found in sessions.labelled("error_category"):
            own = _rows(sessions, found, answers.replicates)
            rows += own
            parts += [labeller] * len(own)
            without = error_categories(found.turns)["uncategorised"]
            if without:
                notes.append(f"Turns rated neutral or bad without a category, {labeller}: {without}.")
        if not rows:
            return None
        columns = [
            TableColumn("share", "Share", "share", ANCHOR), TableColumn("turns", "Turns", "count"),
            TableColumn("definition", "Definition"), TableColumn("instruction", "Instruction"),
            TableColumn("comment", "Comment"),
        ]  # fmt: skip
        return TableBody("Category", columns, rows, parts, notes)


def _rows(sessions: SessionAnswers, found: SessionRows, replicates: int) -> list[tuple[str, list[TableCell]]]:
    definitions = {name: one.text for name, one in label_definitions(sessions.study, Kind.ERROR_CATEGORY).items()}
    failed = [turn for turn in found.turns if turn.rating not in (None, GOOD) and turn.error_category is not None]
    told = labelled_examples([
        LabelledTurn(
            turn.session, turn.number, turn.error_category or "", turn.instruction,
            sessions.comments.get((turn.session, turn.number)),
        )
        for turn in failed
    ], definitions, merge=False)["labels"]  # fmt: skip
    values: dict[tuple[str, ...], TurnValue] = {
        (name,): lambda turn, name=name: float(turn.error_category == name)  # type: ignore[misc]
        for name in told
    }
    report = turn_means(failed, list(found.sessions), values, kind=Shares, replicates=replicates)
    rows = []
    for name, one in told.items():
        example = one["example"] or {}
        rows.append((name, [
            cell_of(report, ("means", name)), TableCell(float(one["n"])), text_cell(one["definition"], NO_DEFINITION),
            text_cell(clipped(example.get("instruction")), NO_EXAMPLE),
            text_cell(clipped(example.get("comment")), NO_COMMENT if example else NO_EXAMPLE),
        ]))  # fmt: skip
    return rows


TABLE = ErrorCategories()
