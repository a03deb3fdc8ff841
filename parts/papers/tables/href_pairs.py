"""HREF, section 4.4: a paired t-test for each pair of systems."""

from agreement.catalogue.p_values import MEANS, columns_of
from parts.papers.baseline_preferences import baseline_preferences
from parts.papers.figures.system_separation import LEVEL, separation_report
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn
from reports.figures.study_answers import Report

ANCHOR = "telling-systems-apart"
TESTS = columns_of(one for one in MEANS if one.key == "t_p")
MOST_ROWS = 200
"""Of a judge with more pairs than this, only those are listed that its items do not tell apart."""
NOTES = (
    "Paired t-tests of the values 1 for a win or tie against the baseline and 0 for a loss, on the items that both "
    "systems share. The second p-value has Holm's correction over the judge's pairs.",
)


class PairedTests(PaperTable):
    """A part per judge; a row per pair of systems."""

    key = "href_6_pairs"
    title = "Paired tests between systems"
    source = "HREF, section 4.4"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        rows: list[tuple[str, list[TableCell]]] = []
        parts: list[str] = []
        notes = list(NOTES)
        for one in baseline_preferences(answers):
            report = separation_report(one.table, [])
            found = report["comparisons"]
            if len(found) > MOST_ROWS:
                shown = [row for row in found if row["t_p"] is None or row["t_p"] >= LEVEL][:MOST_ROWS]
                notes.append(
                    f"{one.part}: {len(shown)} of {len(found)} pairs, with p of {LEVEL} or more or without a test."
                )
                found = shown
            rows += [(" \N{EN DASH} ".join(row["systems"]), _cells(row, report)) for row in found]
            parts += [one.part] * len(found)
        if not rows:
            return None
        columns = [
            TableColumn("mean_difference", "Difference", "difference", ANCHOR),
            *(TableColumn(key, test.title, test.unit, ANCHOR) for key, test in TESTS.items()),
            TableColumn("items", "Items", "count"),
        ]
        return TableBody("Systems", columns, rows, parts, notes)


def _cells(row: Report, report: Report) -> list[TableCell]:
    untested = report["undefined"].get(f"comparisons.{row['systems'][0]}.{row['systems'][1]}.t_p", "")
    tests = [TableCell(row[name], reason=untested) for name in TESTS]
    return [TableCell(row["mean_difference"]), *tests, TableCell(float(row["items"]))]


TABLE = PairedTests()
