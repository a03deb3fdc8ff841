"""Cells of CSV files: a text that a spreadsheet would run as a formula is kept from it by an apostrophe.

Texts that begin with apostrophes and then such a character get one more, so that reading takes off exactly what
writing put on.
"""

import re

# The last four are the full-width forms of the signs.
DANGEROUS = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
NEUTRALISED = re.compile("'+[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def neutralise(text: str) -> str:
    """`text` as a cell that no spreadsheet takes for a formula."""
    return "'" + text if DANGEROUS.match(text) else text


def restore(cell: str) -> str:
    """The text that `neutralise` made the cell of; other cells as they are."""
    return cell[1:] if NEUTRALISED.match(cell) else cell


class Cell(str):
    """A cell whose meaning depends on the question it answers: text as it stands, or JSON."""

    __slots__ = ()
