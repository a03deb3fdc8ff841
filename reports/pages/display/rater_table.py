"""The raters of a report as a table to copy."""

from collections.abc import Sequence

from agreement.catalogue.report_catalogue import Figure, count_of
from reports.figures.rows.rater_shares import RaterShare
from reports.pages.display.printed_figures import plain
from reports.pages.display.tables import Table

RATERS = Figure("Raters", "", "table", "neither", "", "Rater")
KIND = Figure("Kind", "", "table", "neither", "")
HEADS = (
    count_of("Tasks answered", "", ""), count_of("Ratings", "", ""), Figure("Share", "", "share", "neither", ""),
    Figure("Median seconds", "", "score", "neither", ""), count_of("Skipped", "", ""), count_of("Surplus", "", ""),
)  # fmt: skip
NOT_TIMED = "no answer was given here"


def rater_table(raters: Sequence[RaterShare]) -> Table:
    """A row per rater, in the order of the page."""
    rows = []
    for one in raters:
        seconds = "" if one.seconds is None else f"{one.seconds:.1f}"
        texts = (str(one.answers), str(one.ratings), f"{one.percent} %", seconds, str(one.skipped), str(one.surplus))
        values = (one.answers, one.ratings, one.share, one.seconds, one.skipped, one.surplus)
        cells = [plain(KIND, one.kind)]
        cells += [
            plain(head, text, "" if text else NOT_TIMED, value=value)
            for head, text, value in zip(HEADS, texts, values, strict=True)
        ]
        rows.append((one.name, cells))
    return Table(RATERS, [KIND, *HEADS], rows)
