"""CSV cells that no spreadsheet runs as a formula, whichever separator it uses.

A spreadsheet may split a file of commas at semicolons, at tabs, and at line ends inside quotes. An apostrophe is
therefore added before a formula at the start of a text and after each of these characters. If a text already has
such an apostrophe, it gets another one, so that reading removes exactly those that writing added.
"""

import re

SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
"""The first characters of formulas; the last four are the full-width forms of the first four."""
SKIPPED = "['\" ]*"
"""What spreadsheets may skip before the first character."""
AT_START = rf"(?={SKIPPED}[{SIGNS}\t\r\n])"
AFTER = rf"(?={SKIPPED}[{SIGNS}\t])"
"""Where a cell may begin, at the start of a text or after a separator, with the beginning of a formula there."""
FORMULA, QUOTED_FORMULA = re.compile(AT_START), re.compile(f"'{AT_START}")
# One class of characters comes first, which is looked for quickly. A tab that follows a tab or a line end begins none.
LATER, QUOTED_LATER = re.compile(rf"[;\t\r\n]{AFTER}"), re.compile(rf"[;\t\r\n]'{AFTER}")
TAB_FIRST = re.compile(rf"{SKIPPED}\t")
DANGEROUS_JSON = re.compile(rf"(;[' ]*)([{SIGNS}])")


def _begins_formula(found: re.Match[str]) -> bool:
    """Whether what follows a separator, which may be a tab, begins a formula."""
    return found[0][0] == ";" or TAB_FIRST.match(found.string, found.end()) is None


def neutralise(text: str) -> str:
    """Return `text` as a cell that no spreadsheet runs as a formula, as a whole or in parts."""
    later = LATER.sub(lambda found: f"{found[0]}'" if _begins_formula(found) else found[0], text)
    return f"'{later}" if FORMULA.match(text) else later


def restore(cell: str) -> str:
    """Return the text from which `neutralise` made the cell; other cells are returned unchanged."""
    text = QUOTED_LATER.sub(lambda found: found[0][0] if _begins_formula(found) else found[0], cell)
    return text[1:] if QUOTED_FORMULA.match(cell) else text


def neutralise_json(json_text: str) -> str:
    """Return JSON of the same value in which signs after a semicolon are escaped; semicolons occur only in strings."""
    return DANGEROUS_JSON.sub(lambda found: f"{found[1]}\\u{ord(found[2]):04x}", json_text)


class Cell(str):
    """A cell that is plain text or JSON, depending on its question."""

    __slots__ = ()
