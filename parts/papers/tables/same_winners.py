"""riSum, table 5: how often judges and people find the same output best, and whether judges prefer their own family."""

from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableColumn, cell_of

FIGURES = (
    ("perfect_agreement", "Perfect agreement"), ("disagreement", "Disagreement"),
    ("prefers_own_family", "Prefers own family"),
)  # fmt: skip


class SameWinners(PaperTable):
    key = "risum_5"
    title = "Best outputs by judges and by people"
    source = "riSum, table 5"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        found = [
            (key, name, figures)
            for key in answers.compared_questions
            for name, figures in answers.figures(key)["judges"].items()
            if "winners" in figures
        ]
        return TableBody(
            rows_are="Judge",
            columns=[TableColumn(name, title, "share", "winners-of-items") for name, title in FIGURES],
            rows=[(name, [cell_of(own, f"winners.{figure}") for figure, _ in FIGURES]) for _, name, own in found],
            parts=[key for key, _, _ in found],
            notes=["The share that prefers its own family is one of the disagreements."],
        )


TABLE = SameWinners()
