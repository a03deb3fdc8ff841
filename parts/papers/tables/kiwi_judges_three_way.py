"""KIWI, table 7: the same with all three ratings, for the judges that give three."""

from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody
from parts.papers.turn_judge_table import turn_judge_table


class JudgesOfTurnsThreeWay(PaperTable):
    key = "kiwi_7"
    title = "Judges of turns, three ratings"
    source = "KIWI, table 7"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        return turn_judge_table(answers, "all_labels")


TABLE = JudgesOfTurnsThreeWay()
