"""InstruSum, table 4: people's mean scores of each system, and the share of its outputs without a confirmed span."""

from agreement.meta_evaluation.output_answers import Outputs
from agreement.spans.span_figures import BOTH_WAYS
from annotation.questions import question_types
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of
from parts.papers.rows.span_shares import SHARES, SpanShares
from reports.figures.study_answers import Report

NOTHING = "people gave no answer about outputs of this system"
UNDECIDED = "At least: outputs with unreviewed spans count as having an error. At most: they count as having none."
ANCHOR = "confirmed-spans"
RANK = "rank"
UNITS = {
    RANK: ("score", "scores-of-systems"), "choice": ("score", "conversions-between-shapes"),
    "extremes": ("difference", "best-and-worst"),
}  # fmt: skip


class SystemScores(PaperTable):
    """A row per system, a column per question about outputs that people answered."""

    key = "instrusum_4"
    title = "Scores of systems"
    source = "InstruSum, table 4"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        scored = scored_questions(answers)
        marked = {key: shares.report(answers.replicates) for key, shares in answers.span_shares.items()}
        outputs: Outputs = answers.codes.arrays
        if not (scored or marked) or not outputs.size:
            return None
        columns = [TableColumn(key, key, *_unit(answers, key)) for key in scored]
        columns += [column for key in marked for column in _columns_of_spans(key, answers.span_shares[key])]
        notes = ["The mean over a system's outputs of people's mean score of each output."] if scored else []
        if any(_level(answers, key) == RANK for key in scored):
            notes.append("Rankings count as s_i: the number of ranked outputs for the best, less one per better one.")
        if marked:
            notes.append("Without error: the share of outputs in which no span was confirmed.")
        if any(shares.undecided for shares in answers.span_shares.values()):
            notes.append(UNDECIDED)
        return TableBody(
            rows_are="System",
            columns=columns,
            rows=[
                (
                    system,
                    [
                        *(cell_of(answers.reranked(key), ("systems", system, "score")) for key in scored),
                        *(
                            cell
                            for key, report in marked.items()
                            for cell in _cells_of_spans(report, system, answers.span_shares[key])
                        ),
                    ],
                )
                for system in outputs.systems
            ],
            notes=notes,
        )


def scored_questions(answers: PaperAnswers) -> list[str]:
    """The keys of the questions about outputs that people answered."""
    return [key for key in answers.compared_questions if answers.people(key).scores.value.size]


def _columns_of_spans(key: str, shares: SpanShares) -> list[TableColumn]:
    """The share without an error, or, if outputs are undecided, what it is at least and at most, and their number."""
    if not shares.undecided:
        return [TableColumn(key, f"{key}, without error", "share", ANCHOR)]
    return [
        TableColumn(f"{key}:least", f"{key}, without error, at least", "share", ANCHOR),
        TableColumn(f"{key}:most", f"{key}, without error, at most", "share", ANCHOR),
        TableColumn(f"{key}:undecided", f"{key}, undecided outputs", "count", ANCHOR),
    ]


def _cells_of_spans(report: Report, system: str, shares: SpanShares) -> list[TableCell]:
    if not shares.undecided:
        return [_share(report, SHARES, system)]
    undecided = report["system_undecided"].get(system)
    count = TableCell(None, reason=NOTHING) if undecided is None else TableCell(undecided)
    return [*(_share(report, name, system) for name in BOTH_WAYS), count]


def _share(report: Report, name: str, system: str) -> TableCell:
    value = report.get(name, {}).get(system)
    if value is None:
        return TableCell(None, reason=report["undefined"].get(f"{name}.{system}", NOTHING))
    low, high = report[f"{name}_ci"].get(system) or (None, None)
    return TableCell(value, low, high)


def _level(answers: PaperAnswers, key: str) -> str:
    return question_types()[answers.questions[key].type].level


def _unit(answers: PaperAnswers, key: str) -> tuple[str, str]:
    """The unit of a question's scores, and where they are described."""
    if answers.people(key).yes_or_no:
        return "share", "system-means"
    return UNITS.get(_level(answers, key), ("scale", "system-means"))


TABLE = SystemScores()
