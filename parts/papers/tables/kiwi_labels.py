"""KIWI, section 4.3 and appendices A.3 and A.4: labels given by hand, beside those of models, also in samples."""

from collections.abc import Hashable, Iterable, Mapping

from agreement.turns.label_agreement import Label
from agreement.turns.turn_figures import GOOD
from parts.papers.figures.sampled_labels import sampled_shares
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, share_cell
from parts.papers.session_answers import PEOPLE, SessionAnswers
from sessions.models import LabelSample, TurnLabel
from sessions.turn_labels import VALUES
from sessions.turn_variants import turn_variant

ANCHOR = "samples-of-turns"
NOT_LABELLED = "this labeller labelled none of these turns"
FAILED = "failed turns"
NOTES = (
    "Shares of the turns that the labeller labelled, of all turns or of a sample; of several people's labels of a turn "
    "the latest counts. Intervals are those of Clopper and Pearson.",
    "Failed turns are those whose user rated them neutral or bad.",
)


class LabelShares(PaperTable):
    """A part per kind of label, and for each sample of that kind; a row per label, a column per labeller."""

    key = "kiwi_a3"
    title = "Labels by hand and by models"
    source = "KIWI, section 4.3, A.3 and A.4"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        sessions = answers.sessions
        if sessions is None:
            return None
        labellers = {PEOPLE: _of_kinds(sessions.people.labels)}
        labellers |= {
            name: _of_kinds(found.labels, only=name) for name, found in sessions.runs.items()
        }  # fmt: skip
        rows: list[tuple[str, list[TableCell]]] = []
        parts: list[str] = []
        for part, kind, turns in _parts(sessions):
            labels = {
                name: {turn: value for turn, value in own.get(kind, {}).items() if turns is None or turn in turns}
                for name, own in labellers.items()
            }
            if not any(labels.values()):
                continue
            values = VALUES[kind]
            shares = {name: sampled_shares(list(own), own, values)["labels"] for name, own in labels.items()}
            for value in values:
                cells = [share_cell(shares[name][value], NOT_LABELLED) for name in labellers]
                rows.append((value, [*cells, *(TableCell(float(len(labels[name]))) for name in labellers)]))
            parts += [part] * len(values)
        if not rows:
            return None
        columns = [TableColumn(f"share:{name}", name.capitalize() if name == PEOPLE else name, "share", ANCHOR)
                   for name in labellers]  # fmt: skip
        columns += [TableColumn(f"turns:{name}", f"Turns, {name}", "count") for name in labellers]
        return TableBody("Label", columns, rows, parts, NOTES)


def _of_kinds(labels: Mapping[str, Iterable[Label]], only: str | None = None) -> dict[str, dict[Hashable, str]]:
    """The label of each turn by kind; the last one counts."""
    return {
        kind: {turn: value for turn, rater, value in own if only in (None, rater)} for kind, own in labels.items()
    }  # fmt: skip


def _parts(sessions: SessionAnswers) -> list[tuple[str, str, set[Hashable] | None]]:
    """The groups of turns: their title, the kind of label, and the turns, or None for all."""
    failed: set[Hashable] = {
        turn_variant(turn.session, turn.number)
        for turn in sessions.people.turns
        if turn.rating not in (None, GOOD)
    }  # fmt: skip
    retrieval = TurnLabel.Kind.RETRIEVAL
    parts: list[tuple[str, str, set[Hashable] | None]] = []
    for kind in TurnLabel.Kind:
        parts.append((kind.label, kind.value, None))
        if kind == retrieval:
            parts.append((f"{kind.label}, {FAILED}", kind.value, failed))
        for sample in LabelSample.objects.filter(study=sessions.study, kind=kind).order_by("made_at", "pk"):
            turns: set[Hashable] = {turn_variant(session, number) for session, number in sample.turns}
            parts.append((f"{kind.label}, sample: {sample}", kind.value, turns))
    return parts


TABLE = LabelShares()
