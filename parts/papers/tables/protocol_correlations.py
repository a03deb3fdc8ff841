"""InstruSum, table 6: rank correlations of judges with people, by model, protocol and question."""

from collections.abc import Mapping

from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of

TAUS = (("system_kendall_tau_b", "systems"), ("item_kendall_tau_b", "items"))
NOT_JUDGED = "no judge of this model answered the question by this protocol"
ANCHOR = "scores-of-judges"

Judges = Mapping[tuple[str, str], str]
"""A judge's name by its model and its protocol."""


class ProtocolCorrelations(PaperTable):
    """A row per model and question, two columns per protocol."""

    key = "instrusum_6"
    title = "Rank correlations with people by protocol"
    source = "InstruSum, table 6"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        judges = judges_by_method(answers)
        protocols = sorted({protocol for _, protocol in judges})
        models = sorted({model for model, _ in judges})
        rows: list[tuple[str, str, list[TableCell]]] = []
        for key in answers.scores.people:
            figures = answers.figures(key)["judges"]
            for model in models:
                names = [judges.get((model, protocol)) for protocol in protocols]
                if any(name in figures for name in names):
                    cells = [_cell(figures, name, tau) for tau, _ in TAUS for name in names]
                    rows.append((key, model, cells))
        return TableBody(
            rows_are="Model",
            columns=[
                TableColumn(f"{protocol}.{tau}", f"{protocol}, {level}", "alpha", ANCHOR)
                for tau, level in TAUS
                for protocol in protocols
            ],
            rows=[(name, cells) for _, name, cells in rows],
            parts=[key for key, _, _ in rows],
            notes=[
                "Kendall's tau-b with people's means: of systems by their means, and the mean over items of that of an "
                "item's outputs. A judge that answered several times has the mean over its reruns.",
            ],
        )


def judges_by_method(answers: PaperAnswers) -> Judges:
    """The judges of the comparison whose model and protocol are known."""
    compared = {name for judges in answers.scores.judges.values() for name in judges}
    return {(one.model, one.protocol): name for name, one in answers.methods.items() if name in compared}


def _cell(figures: Mapping[str, Mapping[str, object]], name: str | None, tau: str) -> TableCell:
    if name is None or name not in figures:
        return TableCell(None, reason=NOT_JUDGED)
    return cell_of(figures[name], tau)


TABLE = ProtocolCorrelations()
