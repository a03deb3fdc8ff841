"""KIWI, table 5: judges' ratings of turns against their users', good or not, beside baselines and other people."""

from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody
from parts.papers.turn_judge_table import turn_judge_table


class JudgesOfTurns(PaperTable):
    key = "kiwi_5"
    title = "Judges of turns, two ratings"
    source = "KIWI, table 5"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        return turn_judge_table(answers, "two_way")


TABLE = JudgesOfTurns()
