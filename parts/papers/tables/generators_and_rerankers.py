"""InstruSum, table 8: how good the outputs are that a judge picks, and those that its model wrote."""

from annotation.blinding import shown_systems
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import BLANK, PaperTable, TableBody, TableCell, TableColumn, cell_of
from parts.papers.tables.system_scores import scored_questions

LINES = (("random_pick", "random pick"), ("best_possible", "best possible pick"))
NO_METHOD = "the judge's model is not known"
NO_SYSTEM = "no system of the study is known to be of the judge's model"
SEVERAL = "several systems of the study are of the judge's model"
ANCHOR = "judges-as-re-rankers"
COLUMNS = (
    TableColumn("generator", "As a generator", "score", ANCHOR),
    TableColumn("picked", "As a re-ranker", "score", ANCHOR),
    TableColumn("gain", "Gain over a random pick", "difference", ANCHOR),
    TableColumn("items", "Items", "count"),
)


class Reranking(PaperTable):
    """For each question a row per judge, after the lines for a random and the best possible pick."""

    key = "instrusum_8"
    title = "Judges as generators and as re-rankers"
    source = "InstruSum, table 8"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        rows: list[tuple[str, str, list[TableCell]]] = []
        for key in scored_questions(answers):
            if not answers.judges(key):
                continue
            report = answers.reranked(key)
            lines = [
                (title, [BLANK, cell_of(report, name), BLANK, TableCell(report["items"])]) for name, title in LINES
            ]
            judges = [
                (
                    name,
                    [
                        generator_of(answers, key, name),
                        *(cell_of(report, ("judges", name, figure)) for figure in ("picked", "gain", "items")),
                    ],
                )
                for name in report["judges"]
            ]
            rows += [(key, *row) for row in (*lines, *judges)]
        return TableBody(
            rows_are="Judge",
            columns=COLUMNS,
            rows=[(name, cells) for _, name, cells in rows],
            parts=[key for key, _, _ in rows],
            notes=[
                "As a generator: people's mean score of the outputs of the system that is the judge's model. As a "
                "re-ranker: people's mean score of the output of each item that the judge scores highest; of several, "
                "a random one.",
                "The gain is over a random pick from the outputs that the judge scored.",
            ],
        )


def generator_of(answers: PaperAnswers, key: str, judge: str) -> TableCell:
    """People's mean score of the system that is the judge's model."""
    method = answers.methods.get(judge)
    if method is None:
        return TableCell(None, reason=NO_METHOD)
    written = [
        system
        for system in answers.codes.arrays.systems
        if shown_systems(answers.study).get(system, {}).get("model") == method.model
        and not shown_systems(answers.study)[system].get("generic")
    ]
    if len(written) != 1:
        return TableCell(None, reason=SEVERAL if written else NO_SYSTEM)
    return cell_of(answers.reranked(key), ("systems", written[0], "score"))


TABLE = Reranking()
