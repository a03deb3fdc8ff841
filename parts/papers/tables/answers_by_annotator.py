"""riSum, figure 4: how many answers each annotator gave, and how often each answer."""

from collections.abc import Mapping

from annotation.models import Question
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import BLANK, PaperTable, TableBody, TableCell, TableColumn, TableDrawing
from parts.papers.rows.answer_counts import AnswerCounts, answer_counts

COUNTED = (TableColumn("answers", "Answers", "count"), TableColumn("share_of_all", "Share of all"))
MOST_RATERS = 200
MOST_ANSWERS = 20
"""With more possible answers than this, answers are only counted."""
FEWEST_MARKS = 10


class AnswersByAnnotator(PaperTable):
    """A row per annotator and question, the one with most answers first."""

    key = "risum_figure_4"
    title = "Answers by annotator"
    source = "riSum, figure 4"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        found = {key: _of_question(answers, one) for key, one in answers.questions.items()}
        found = {key: (counts, labels) for key, (counts, labels) in found.items() if counts}
        if not found:
            return None
        labels = list(dict.fromkeys(label for _, own in found.values() for label in own))
        rows = [
            (key, answers.raters[rater].name, _cells(own, sum(map(_total, counts.values())), labels, of_question))
            for key, (counts, of_question) in found.items()
            for rater, own in _listed(counts, answers)
        ]
        left_out = max(len(counts) for counts, _ in found.values()) - MOST_RATERS
        most = max(_total(own) for counts, _ in found.values() for own in counts.values())
        notes = ["Current answers under the version of the guidelines that the report is about."]
        if labels:
            notes.append("The columns after the share of all are shares of the annotator's own answers.")
        if left_out > 0:
            notes.append(f"Only the {MOST_RATERS} annotators with the most answers to a question are listed.")
        return TableBody(
            rows_are="Annotator",
            columns=[*COUNTED, *(TableColumn(f"answer_{label}", label) for label in labels)],
            rows=[(name, cells) for _, name, cells in rows],
            parts=[key for key, _, _ in rows],
            notes=notes,
            drawing=TableDrawing("bars", ["answers"], "Answers", 0.0, _round_end(most)),
        )


def _of_question(answers: PaperAnswers, question: Question) -> tuple[AnswerCounts, list[str]]:
    counts, labels = answer_counts(answers.study, question, answers.choice)
    chosen = answers.compared.people
    kept = {rater: own for rater, own in counts.items() if not chosen or answers.raters[rater].name in chosen}
    return kept, labels if len(labels) <= MOST_ANSWERS else []


def _listed(counts: AnswerCounts, answers: PaperAnswers) -> list[tuple[int, dict[str, int]]]:
    """The raters with the most answers, by their number, then by name."""
    ordered = sorted(counts.items(), key=lambda one: (-_total(one[1]), answers.raters[one[0]].name))
    return ordered[:MOST_RATERS]


def _total(own: Mapping[str, int]) -> int:
    return sum(own.values())


def _cells(own: Mapping[str, int], everybody: int, labels: list[str], of_question: list[str]) -> list[TableCell]:
    total = _total(own)
    shares = [TableCell(own.get(label, 0) / total) if label in of_question else BLANK for label in labels]
    return [TableCell(total), TableCell(total / everybody), *shares]


def _round_end(most: int) -> float:
    """The end of an axis for counts up to `most`: the next of 10, 20, 40, 80 and so on."""
    end = FEWEST_MARKS
    while end < most:
        end *= 2
    return float(end)


TABLE = AnswersByAnnotator()
