"""InstruSum, table 9: how judges and people agree with each other, and with an oracle that prefers more words."""

from parts.papers.figures.length_oracle import length_oracle_report
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of
from parts.papers.tables.pair_outcomes import all_choices
from parts.papers.tables.system_scores import scored_questions

ANCHOR = "pairwise-agreement-with-length"
COLUMNS = (
    TableColumn("people_oracle", "People and length", "alpha", ANCHOR),
    TableColumn("judge_oracle", "Judge and length", "alpha", ANCHOR),
    TableColumn("judge_people", "Judge and people", "alpha", ANCHOR),
    TableColumn("judgments", "Judgments", "count"),
)


class LengthAndJudges(PaperTable):
    """A row per judge and question."""

    key = "instrusum_9"
    title = "Judges, people and length"
    source = "InstruSum, table 9"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        rows: list[tuple[str, str, list[TableCell]]] = []
        for key in scored_questions(answers):
            people, judges = answers.answered(key)
            means = people.scores.means(people.outputs)
            for judge in judges:
                choices = all_choices(judge.reruns)
                report = length_oracle_report(means, choices, people.outputs, replicates=answers.replicates)
                rows.append((key, judge.name, [cell_of(report, column.key) for column in COLUMNS]))
        return TableBody(
            rows_are="Judge",
            columns=COLUMNS,
            rows=[(name, cells) for _, name, cells in rows],
            parts=[part for part, _, _ in rows],
            notes=[
                "Krippendorff's alpha with MASI distances between two raters of the pairs that the judge answered: the "
                "judge, people, who prefer the higher mean score, and length, which prefers more words.",
                "Scores and rankings count as choices; pairs judged in both orders, or in several reruns, count each "
                "time.",
            ],
        )


TABLE = LengthAndJudges()
