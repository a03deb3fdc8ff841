"""riSum, table 4: how well judges rank outputs as people do, and predict people's yes or no."""

from parts.papers.chosen_questions import MAJORITY_OF, MEAN_OF
from parts.papers.figures.near_best import MethodColumn, near_best_table
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of
from reports.figures.study_answers import Report

ANCHORS = {"auc_roc": "area-under-the-roc-curve"}
MEASURES = (
    ("auc_roc", "AUC-ROC", True), ("rank_distance", "Rank distance", False),
    ("pearson_distance", "Pearson distance", False),
)  # fmt: skip
"""The figures, their titles, and whether higher is better."""


class JudgesByQuestion(PaperTable):
    """A row per judge and per question that it answered; AUC is against one question of people, the rest another."""

    key = "risum_4"
    title = "Judges against people's ratings"
    source = "riSum, table 4"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        asked = [key for key in answers.compared_questions if "people" in answers.figures(key)]
        yes_or_no = [key for key in asked if answers.people(key).yes_or_no]
        others = [key for key in asked if key not in yes_or_no]
        label = answers.compared.questions.get(MAJORITY_OF.name) or next(iter(yes_or_no), None)
        scored = answers.compared.questions.get(MEAN_OF.name) or next(iter(others or asked), None)
        if scored not in asked:
            return None
        label = label if label in asked else None
        rows: list[tuple[str, str, list[TableCell]]] = []
        for judged in answers.compared_questions:
            of_label = answers.figures(judged, label)["judges"] if label else {}
            of_scores = answers.figures(judged, scored)["judges"]
            rows += [
                (judged, name, [_cell(of_label.get(name), "auc_roc"), *(_cell(own, one) for one, _, _ in MEASURES[1:])])
                for name, own in of_scores.items()
            ]
        if not rows:
            return None
        marked = _marked([cells for _, _, cells in rows])
        notes = [
            f"AUC-ROC against people's majority of {label}; distances to people's means of {scored}."
            if label
            else f"Distances to people's means of {scored}. No question asks for yes or no.",
            "Marked: within one standard error of the best judge.",
            "A judge that answered several times has the mean of each figure over its reruns, and their standard "
            "deviation as the spread.",
        ]
        return TableBody(
            rows_are="Judge",
            columns=[
                TableColumn(name, title, "share", ANCHORS.get(name, "scores-of-judges")) for name, title, _ in MEASURES
            ],
            rows=[(name, cells) for (_, name, _), cells in zip(rows, marked, strict=True)],
            parts=[judged for judged, _, _ in rows],
            notes=notes,
        )


def _cell(report: Report | None, name: str) -> TableCell:
    if report is None:
        return TableCell(None, reason="people answered no question with yes or no")
    return cell_of(report, name)


def _marked(rows: list[list[TableCell]]) -> list[list[TableCell]]:
    """The cells with those near the best of their column marked."""
    columns = {
        title: MethodColumn({str(number): _value_and_error(cells[place]) for number, cells in enumerate(rows)}, higher)
        for place, (_, title, higher) in enumerate(MEASURES)
    }
    methods = near_best_table(columns)["methods"]
    return [
        [
            cell.marked() if methods[str(number)][title]["near_best"] else cell
            for cell, (_, title, _) in zip(cells, MEASURES, strict=True)
        ]
        for number, cells in enumerate(rows)
    ]


def _value_and_error(cell: TableCell) -> tuple[float | None, float | None]:
    return cell.value if isinstance(cell.value, float) else None, cell.se


TABLE = JudgesByQuestion()
