"""HREF, section 5.1: how much more often judges prefer the longer output than the shorter one, beside people."""

from parts.papers.judge_facts import JudgeFacts, judge_facts
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of, text_cell

PEOPLE = "people"
PERSON = "people see no reference"
NO_RUN = "no run says so"
ANCHOR = "position-and-length"
NOTES = (
    "Length bias: the share of judgments that prefer the longer of two outputs minus the share that prefer the shorter "
    "one, of pairs that people judged, too; ties count as neither, and outputs of equal length are left out. Position "
    "bias is the same of the output shown first, of all judgments.",
    "A judge prefers longer outputs more than people do if its length bias is above theirs. Intervals draw items.",
)


class LengthBias(PaperTable):
    key = "href_5_length"
    title = "Preference for longer outputs"
    source = "HREF, section 5.1"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        facts = judge_facts(answers.study)
        rows: list[tuple[str, list[TableCell]]] = []
        parts: list[str] = []
        for key in answers.compared_questions:
            figures = answers.figures(key)
            if not figures["judges"]:
                continue
            known = [(PEOPLE, figures["people"], TableCell(None, reason=PERSON))]
            known += [
                (name, own, text_cell(facts.get(name, JudgeFacts()).reference, NO_RUN))
                for name, own in figures["judges"].items()
            ]
            rows += [
                (name, [reference, cell_of(own, ("length_bias_rate",)), cell_of(own, ("position_bias",))])
                for name, own, reference in known
            ]
            parts += [key] * len(known)
        if not rows:
            return None
        columns = [
            TableColumn("reference", "Reference"), TableColumn("length_bias_rate", "Length bias", "difference", ANCHOR),
            TableColumn("position_bias", "Position bias", "difference", ANCHOR),
        ]  # fmt: skip
        return TableBody("Judge", columns, rows, parts, NOTES)


TABLE = LengthBias()
