"""CSV cells that no spreadsheet runs as a formula, whichever separator it uses.

A spreadsheet may split a file of commas at semicolons, at tabs, and at line ends inside quotes. An apostrophe is
therefore added before a formula at the start of a text and after each of these characters. If a text already has
such an apostrophe, it gets another one, so that reading removes exactly those that writing added.
"""

import re

SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
"""The first characters of formulas; the last four are the full-width forms of the first four."""
# Spreadsheets may skip quotation marks and blanks before the first character.
PLACES = (
    (r"\A", rf"['\" ]*[{SIGNS}\t\r\n]"),
    ("(?<=;)", rf"['\" ]*[{SIGNS}\t]"),
    (r"(?<=[\t\r\n])", rf"['\" ]*[{SIGNS}]"),
)
"""Where a cell may begin, with the beginnings of formulas there."""
DANGEROUS = re.compile("|".join(f"{place}(?={formula})" for place, formula in PLACES))
NEUTRALISED = re.compile("|".join(f"{place}'(?={formula})" for place, formula in PLACES))
DANGEROUS_JSON = re.compile(rf"(;[' ]*)([{SIGNS}])")


def neutralise(text: str) -> str:
    """Return `text` as a cell that no spreadsheet runs as a formula, as a whole or in parts."""
    return DANGEROUS.sub("'", text)


def restore(cell: str) -> str:
    """Return the text from which `neutralise` made the cell; other cells are returned unchanged."""
    return NEUTRALISED.sub("", cell)


def neutralise_json(json_text: str) -> str:
    """Return JSON of the same value in which signs after a semicolon are escaped; semicolons occur only in strings."""
    return DANGEROUS_JSON.sub(lambda found: f"{found[1]}\\u{ord(found[2]):04x}", json_text)


class Cell(str):
    """A cell that is plain text or JSON, depending on its question."""

    __slots__ = ()
