"""A table of a report, as `reports/_table.html` prints it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agreement.catalogue import Figure
from reports.display.printed_figures import PrintedFigure

FOLDED_FROM = 16
"""Longer tables are folded until a reader opens them."""
FEW_COLUMNS = 3
TITLES = {"": "{}", "by_category": "{}, by category", "in_numbers": "{}, in numbers"}


@dataclass(frozen=True)
class Table:
    """A table: `figure` names, describes and defines it, `heads` are its columns, `rows` are (name, cells).

    `addresses` are links of rows by their names. `variant` is for tables of a figure by category, and for the numbers
    of a drawing. `note` has the values that the template `reports/notes/<note_name>.html` prints below the description.
    """

    figure: Figure
    heads: list[Figure]
    rows: list[tuple[str, list[PrintedFigure]]]
    note_name: str = ""
    note: Mapping[str, Any] = field(default_factory=dict)
    variant: Literal["", "by_category", "in_numbers"] = ""
    addresses: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return TITLES[self.variant].format(self.figure.title)

    @property
    def row_head(self) -> str:
        """The heading of the rows' names."""
        return "Category" if self.variant == "by_category" else self.figure.rows

    @property
    def linked_rows(self) -> list[tuple[str, str, list[PrintedFigure]]]:
        """The rows with the addresses of their names, "" for those without."""
        return [(name, self.addresses.get(name, ""), cells) for name, cells in self.rows]

    @property
    def note_template(self) -> str:
        return f"reports/notes/{self.note_name}.html" if self.note_name else ""

    @property
    def explained(self) -> list[Figure]:
        """The columns with a definition."""
        return [head for head in self.heads if head.anchor]

    @property
    def folded(self) -> bool:
        return len(self.rows) >= FOLDED_FROM

    @property
    def few(self) -> bool:
        """Whether it has so few columns that across a whole page they would be far from the names of their rows."""
        return len(self.heads) <= FEW_COLUMNS


def column(title: str, line: str = "") -> Figure:
    """A column without a definition, such as a system's."""
    return Figure(title, line, "table", "neither", "")
