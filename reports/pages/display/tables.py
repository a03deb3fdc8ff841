"""A table of a report, as `reports/_table.html` prints it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from django.utils.text import slugify

from agreement.catalogue.report_catalogue import Figure
from reports.pages.display.plots import IntervalBar
from reports.pages.display.printed_figures import PrintedFigure
from reports.pages.display.row_order import AS_GIVEN, NAME, Sorting, in_order
from reports.pages.display.short_names import IN_TABLES, short_names, short_rows
from reports.pages.display.undefined_reasons import UndefinedReasons

FOLDED_FROM = 16
"""Longer tables are folded until a reader opens them."""
FEW_COLUMNS = 3
COLUMNS_ON_PAPER = 8
MOST_IN_HEAD = 24
"""Letters of a column's head."""
TITLES = {"": "{}", "by_category": "{}, by category", "in_numbers": "{}, in numbers"}


@dataclass(frozen=True)
class TableHead:
    """A column: its figure, its label, where a click sorts by it, and in which direction it is sorted now.

    `axis` is the axis of its bars, if they all have the same.
    """

    figure: Figure
    label: str
    address: str
    direction: str
    axis: IntervalBar | None

    @property
    def is_cut(self) -> bool:
        return self.label != self.figure.title


@dataclass(frozen=True)
class TableLine:
    """A row: its name in full and as a label, the address that it leads to, and its cells with numbers of notes."""

    name: str
    label: str
    address: str
    cells: list[tuple[PrintedFigure, int]]

    @property
    def is_cut(self) -> bool:
        return self.label != self.name


@dataclass(frozen=True)
class Table:
    """A table: `figure` names, describes and defines it, `heads` are its columns, `rows` are (name, cells).

    `addresses` are links of rows by their names. `variant` is for tables of a figure by category, and for the numbers
    of a drawing. `note` has the values that the template `reports/notes/<note_name>.html` prints below the description.
    `first` is the column by which rows are sorted unless `sorting` names another, empty for rows with an order of their
    own, and `is_worst_first` if the worst are looked for. `prefix` begins its key, which names it in addresses. A long
    table that `is_open` is not folded; one that `is_extra` is folded however short it is. `basis` says what its figures
    rest on: "n = 40 items".
    """

    figure: Figure
    heads: list[Figure]
    rows: list[tuple[str, list[PrintedFigure]]]
    note_name: str = ""
    note: Mapping[str, Any] = field(default_factory=dict)
    variant: Literal["", "by_category", "in_numbers"] = ""
    addresses: Mapping[str, str] = field(default_factory=dict)
    first: str = AS_GIVEN
    prefix: str = ""
    is_worst_first: bool = False
    is_open: bool = False
    sorting: Sorting = field(default_factory=Sorting)
    is_extra: bool = False
    basis: str = ""

    @property
    def title(self) -> str:
        return TITLES[self.variant].format(self.figure.title)

    @property
    def key(self) -> str:
        return "-".join(part for part in (self.prefix, slugify(self.title)) if part)

    @property
    def row_head(self) -> str:
        """The heading of the rows' names."""
        return "Category" if self.variant == "by_category" else self.figure.rows

    @property
    def note_template(self) -> str:
        return f"reports/notes/{self.note_name}.html" if self.note_name else ""

    @property
    def explained(self) -> list[Figure]:
        """The columns with a definition."""
        return [head for head in self.heads if head.anchor]

    @property
    def folded(self) -> bool:
        return self.is_extra or (len(self.rows) >= FOLDED_FROM and not self.is_open)

    @property
    def few(self) -> bool:
        """Whether it has so few columns that across a whole page they would be far from the names of their rows."""
        return len(self.heads) <= FEW_COLUMNS

    @property
    def is_narrow(self) -> bool:
        """Whether on paper its intervals have room beside their values."""
        return len(self.heads) <= COLUMNS_ON_PAPER

    @property
    def is_grid(self) -> bool:
        """Whether its columns are names, so that its cells mean something only beside each other."""
        return any(head.unit == "table" for head in self.heads)

    @property
    def keys(self) -> list[str]:
        """What each column is called in addresses."""
        return [slugify(head.title) for head in self.heads]

    @cached_property
    def order(self) -> tuple[str, str]:
        """The column that the rows are sorted by, and the direction; empty for rows as they were given."""
        sortable = [key for key, head in zip(self.keys, self.heads, strict=True) if head.unit != "table"]
        wanted = self.sorting.wanted if self.sorting.wanted in (NAME, *sortable) else self.first
        if wanted == NAME:
            return NAME, "ascending"
        if wanted not in sortable:
            return AS_GIVEN, ""
        head = self.heads[self.keys.index(wanted)]
        rising = "higher" if self.is_worst_first else "lower"
        return wanted, "ascending" if head.good == rising or head.unit == "p" else "descending"

    @cached_property
    def sorted_rows(self) -> list[tuple[str, list[PrintedFigure]]]:
        key, direction = self.order
        if key == AS_GIVEN:
            return self.rows
        if key == NAME:
            return sorted(self.rows, key=lambda row: row[0])
        place = self.keys.index(key)
        return in_order(self.rows, lambda row: row[1][place].number, descending=direction == "descending")

    @property
    def name_head(self) -> TableHead:
        """The head of the rows' names."""
        named = replace(self.figure, title=self.row_head, line="")
        key, direction = self.order
        return TableHead(
            named, self.row_head, self.sorting.address(NAME, self.key), direction if key == NAME else "", None
        )

    @property
    def columns(self) -> list[TableHead]:
        labels = short_names((head.title for head in self.heads), MOST_IN_HEAD)
        key, direction = self.order
        return [
            TableHead(
                figure=head,
                label=labels[head.title] if head.unit == "table" else head.title,
                address="" if head.unit == "table" else self.sorting.address(own, self.key),
                direction=direction if own == key else "",
                axis=_one_axis([cells[place] for _, cells in self.rows]),
            )
            for place, (own, head) in enumerate(zip(self.keys, self.heads, strict=True))
        ]

    @cached_property
    def _numbered(self) -> tuple[list[TableLine], UndefinedReasons]:
        reasons, names = UndefinedReasons(), [name for name, _ in self.sorted_rows]
        labels = short_rows(names, IN_TABLES)
        lines = [
            TableLine(
                name,
                labels[name],
                self.addresses.get(name, ""),
                [(cell, reasons.number(why) if (why := cell.reason or cell.gap) else 0) for cell in cells],
            )
            for name, cells in self.sorted_rows
        ]
        return lines, reasons

    @property
    def lines(self) -> list[TableLine]:
        return self._numbered[0]

    @property
    def reasons(self) -> list[tuple[int, str]]:
        """Why cells are undefined, each reason once."""
        return self._numbered[1].listed


def _one_axis(cells: Sequence[PrintedFigure]) -> IntervalBar | None:
    """A bar on the axis that all bars of a column have; None if they have none, or several."""
    bars = [cell.bar for cell in cells if cell.bar]
    return bars[0] if bars and len({bar.axis for bar in bars}) == 1 else None


def column(title: str, line: str = "") -> Figure:
    """A column without a definition, such as a system's."""
    return Figure(title, line, "table", "neither", "")
