"""InstruSum, table 7: whether one model judges alike under two protocols."""

from itertools import combinations

from parts.papers.figures.protocol_consistency import consistency_report
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of
from parts.papers.tables.protocol_correlations import TAUS, judges_by_method
from reports.figures.study_answers import Report

ANCHOR = "consistency-between-protocols"
MEAN = "mean"


class ConsistencyOfProtocols(PaperTable):
    """A row per model and two protocols: the means over questions, then each question."""

    key = "instrusum_7"
    title = "Consistency of a model between protocols"
    source = "InstruSum, table 7"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        found = _reports(answers)
        questions = dict.fromkeys(key for _, _, report in found for key in report["dimensions"])
        paths = {MEAN: (), **{key: ("dimensions", key) for key in questions}}
        rows = [
            (part, model, [_cell(report, path, tau) for path in paths.values() for tau, _ in TAUS])
            for part, model, report in sorted(found, key=lambda one: one[:2])
        ]
        return TableBody(
            rows_are="Model",
            columns=[
                TableColumn(f"{name}.{tau}", f"{name}, {level}", "alpha", ANCHOR)
                for name in paths
                for tau, level in TAUS
            ],
            rows=[(model, cells) for _, model, cells in rows],
            parts=[part for part, _, _ in rows],
            notes=[
                "Kendall's tau-b between the scores of two judges of one model, over systems and within items; the "
                "mean is over the questions that both answered.",
                "The scores of a judge that answered several times are averaged over its reruns first.",
            ],
        )


def _reports(answers: PaperAnswers) -> list[tuple[str, str, Report]]:
    """Two protocols, a model, and the report about its two judges."""
    by_model: dict[str, dict[str, str]] = {}
    for (model, protocol), name in sorted(judges_by_method(answers).items()):
        by_model.setdefault(model, {})[protocol] = name
    scores, found = answers.scores, []
    for model, protocols in by_model.items():
        for one, other in combinations(protocols, 2):
            first, second = protocols[one], protocols[other]
            shared = {
                key: (scores.judge_means(key, first), scores.judge_means(key, second))
                for key, judges in scores.judges.items()
                if first in judges and second in judges
            }
            if shared:
                report = consistency_report(shared, scores.outputs, replicates=answers.replicates)
                found.append((f"{one}, {other}", model, report))
    return found


def _cell(report: Report, path: tuple[str, ...], tau: str) -> TableCell:
    if path and path[-1] not in report["dimensions"]:
        return TableCell(None, reason="one of the two judges did not answer this question")
    return cell_of(report, (*path, tau))


TABLE = ConsistencyOfProtocols()
