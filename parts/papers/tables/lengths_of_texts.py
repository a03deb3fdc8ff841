"""InstruSum, table 2: how long documents, instructions and the systems' outputs are."""

from parts.papers.figures.text_statistics import text_statistics
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of
from parts.papers.rows.text_counts import ITEMS, text_counts

ANCHOR = "lengths-of-texts"
FIGURES = (("mean", "mean", "score"), ("median", "median", "score"), ("min", "fewest", "count"),
           ("max", "most", "count"))  # fmt: skip
COUNTS = (("words", "Words"), ("sentences", "Sentences"))
COLUMNS = (
    TableColumn("texts", "Texts", "count", ANCHOR),
    *(
        TableColumn(f"{count}_{figure}", f"{title}, {name}", unit, ANCHOR)
        for count, title in COUNTS
        for figure, name, unit in FIGURES
    ),
)
PARTS = {ITEMS: "Items", "outputs": "Outputs by system"}


class TextLengths(PaperTable):
    """A row for documents, one for instructions, and one per system."""

    key = "instrusum_2"
    title = "Lengths of texts"
    source = "InstruSum, table 2"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        counts = text_counts(answers.study)
        places = range(len(counts.groups))
        report = text_statistics(
            counts.group, counts.words, [str(place) for place in places], sentences=counts.sentences
        )

        def cells(place: int) -> list[TableCell]:
            path = ("groups", str(place))
            figures = [cell_of(report, (*path, count, figure)) for count, _ in COUNTS for figure, _, _ in FIGURES]
            return [cell_of(report, (*path, "texts")), *figures]

        order = [place for place in places if counts.groups[place][0] == ITEMS]
        order += sorted(set(places) - set(order), key=lambda place: counts.groups[place][1])
        return TableBody(
            rows_are="Texts",
            columns=COLUMNS,
            rows=[(counts.groups[place][1], cells(place)) for place in order],
            parts=[PARTS[counts.groups[place][0]] for place in order],
            notes=[
                "Words are separated by white space; in scripts without spaces each character counts.",
                "A document that several items share counts once; instructions count for each item.",
                "The standard error of a mean is the standard deviation over the square root of the number of texts.",
            ],
        )


TABLE = TextLengths()
