"""InstruSum, figure 2: each model's rank correlations with people, averaged over questions and protocols."""

from parts.papers.figures.protocol_averages import JudgedDimension, protocol_report
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableColumn, TableDrawing, cell_of
from parts.papers.tables.protocol_correlations import judges_by_method

ANCHOR = "averages-over-protocols"
COLUMNS = (
    TableColumn("system_kendall_tau_b", "Tau of systems", "alpha", ANCHOR),
    TableColumn("item_kendall_tau_b", "Tau within items", "alpha", ANCHOR),
)


class ModelCorrelations(PaperTable):
    """A row per model: the means over its questions, and over the protocols that all models have."""

    key = "instrusum_figure_2"
    title = "Rank correlations with people by model"
    source = "InstruSum, figure 2"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        scores = answers.scores
        judged = [
            JudgedDimension(model, protocol, key, people, scores.judge_means(key, name))
            for (model, protocol), name in sorted(judges_by_method(answers).items())
            for key, people in scores.people.items()
            if name in scores.judges[key]
        ]
        if not judged:
            return None
        report = protocol_report(judged, scores.outputs, replicates=answers.replicates)
        averaged = sorted({name for model in report["models"].values() for name in model["protocols_averaged"]})
        return TableBody(
            rows_are="Model",
            columns=COLUMNS,
            rows=[
                (model, [cell_of(report, ("models", model, column.key)) for column in COLUMNS])
                for model in report["models"]
            ],
            notes=[
                f"Means over the questions and over the protocols that all models have: {', '.join(averaged)}."
                if averaged
                else "No protocol was used by all models.",
                "The scores of a judge that answered several times are averaged over its reruns first.",
            ],
            drawing=TableDrawing("dots", [column.key for column in COLUMNS], "Kendall's tau-b", -1.0, 1.0),
        )


TABLE = ModelCorrelations()
