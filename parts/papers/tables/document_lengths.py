"""riSum, table 1: how long the documents of each source are."""

from parts.papers.figures.text_statistics import text_statistics
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableColumn, cell_of
from parts.papers.rows.text_counts import document_counts

ANCHOR = "lengths-of-texts"
COLUMNS = (
    TableColumn("texts", "Documents", "count", ANCHOR), TableColumn("min", "Fewest words", "count", ANCHOR),
    TableColumn("median", "Median", "score", ANCHOR), TableColumn("max", "Most words", "count", ANCHOR),
    TableColumn("mean", "Mean", "score", ANCHOR),
)  # fmt: skip
UNNAMED = "no source named"
ALL = "All documents"


class DocumentLengths(PaperTable):
    """A row per source; a document that several items share counts once."""

    key = "risum_1"
    title = "Words of documents by source"
    source = "riSum, table 1"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        counts = document_counts(answers.study)
        sources = [source for _, source in counts.groups]
        if not any(sources):
            return None
        places = [str(place) for place in range(len(sources))]
        report = text_statistics(counts.group, counts.words, places)
        order = sorted(places, key=lambda place: (not sources[int(place)], sources[int(place)].casefold()))
        listed = [(sources[int(place)] or UNNAMED, ("groups", place)) for place in order]
        return TableBody(
            rows_are="Source",
            columns=COLUMNS,
            rows=[
                (
                    name,
                    [
                        cell_of(report, (*path, "texts") if column.key == "texts" else (*path, "words", column.key))
                        for column in COLUMNS
                    ],
                )
                for name, path in (*listed, (ALL, ("all",)))
            ],
            notes=[
                "Words are separated by white space; in scripts without spaces each character counts.",
                "A document that several items share counts once.",
                "The standard error of a mean is the standard deviation over the square root of the number of texts.",
            ],
        )


TABLE = DocumentLengths()
