"""Positions in the two drawings of sessions: shares of ratings, and kinds of instruction by position."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.pages.display.plots import CHART_HEIGHT, CHART_WIDTH, MARGIN_BOTTOM, MARGIN_LEFT, MARGIN_TOP, ROW_HEIGHT
from reports.pages.display.printed_figures import Json

LABELS, COUNTS = 110.0, 76.0
"""Room beside the bars, for their labels and for numbers of turns."""
WORD_FROM, NUMBER_FROM = 0.2, 0.06
"""The smallest shares with room for a name and a number, and for a number alone."""
NAMES = 92.0
MANY_COLUMNS = 12
"""With more columns there is no room for a number in each."""
ALL_MODELS = "all models"


@dataclass(frozen=True)
class BarPart:
    """One part of a bar; `text` is what it has room for."""

    name: str
    x: float
    width: float
    middle: float
    text: str
    share: float


@dataclass(frozen=True)
class StackedBar:
    """A bar that its parts fill, with its label and its number of turns; without turns it has no parts."""

    label: str
    y: float
    parts: list[BarPart]
    n: int


@dataclass(frozen=True)
class BarGroup:
    """Bars under a common name."""

    name: str
    y: float
    bars: list[StackedBar]
    top: float
    base: float


@dataclass(frozen=True)
class RatingBars:
    """Groups of bars on one axis from 0 to 100 %, with ticks (x, label) below."""

    groups: list[BarGroup]
    ticks: list[tuple[float, str]]
    base: float
    height: float
    width: float = CHART_WIDTH
    labels: float = LABELS - 10
    counts: float = CHART_WIDTH - COUNTS + 8
    bar: float = ROW_HEIGHT - 6


@dataclass(frozen=True)
class PositionColumn:
    """One position in a session: the share of information at the bottom, that of style on top.

    `text` is `inside` the lower part if that is high enough, otherwise above it.
    """

    position: int
    n: int
    x: float
    width: float
    middle: float
    top: float
    height: float
    rest: float
    text: str
    inside: bool


@dataclass(frozen=True)
class PositionColumns:
    """Columns from 0 to 100 %, with ticks (y, label) on the left and the names of the parts on the right."""

    columns: list[PositionColumn]
    ticks: list[tuple[float, str]]
    left: float
    right: float
    base: float
    width: float = CHART_WIDTH
    height: float = CHART_HEIGHT + 16
    top: float = MARGIN_TOP


def rating_bars(figures: Json, kinds: Sequence[tuple[str, str]]) -> RatingBars:
    """A group for each model, and one for all if there are several; a bar for each of `kinds` (key, label)."""
    models = list(figures["models"].items())
    parts = [*models, (ALL_MODELS, figures["total"])] if len(models) > 1 else models
    groups, y = [], MARGIN_TOP
    for name, own in parts:
        first, bars = y, []
        for key, label in kinds:
            y += ROW_HEIGHT
            shares = own[key]
            bars.append(StackedBar(label, round(y, 2), _parts(shares), sum(one["n"] for one in shares.values())))
        top = first + ROW_HEIGHT
        groups.append(
            BarGroup(name, round(first + ROW_HEIGHT * 0.6, 2), bars, round(top - 3, 2), round(y + ROW_HEIGHT, 2))
        )
        y += ROW_HEIGHT * 1.3
    base = y - ROW_HEIGHT * 0.3
    ticks = [(_across(share), f"{100 * share:.0f} %") for share in (0, 0.25, 0.5, 0.75, 1)]
    return RatingBars(groups, ticks, round(base, 2), round(base + 24, 2))


def _across(share: float) -> float:
    return round(LABELS + (CHART_WIDTH - LABELS - COUNTS) * share, 2)


def _parts(shares: Json) -> list[BarPart]:
    parts, before = [], 0.0
    for name, one in shares.items():
        share = one["share"]
        if share:
            x, end = _across(before), _across(before + share)
            percent = f"{100 * share:.0f}"
            text = f"{name} {percent} %" if share >= WORD_FROM else percent if share >= NUMBER_FROM else ""
            parts.append(BarPart(name, x, round(end - x, 2), round((x + end) / 2, 2), text, share))
            before += share
    return parts


def position_columns(places: Sequence[Json]) -> PositionColumns:
    """A column for each position at which an instruction was answered."""
    left, right = MARGIN_LEFT + 12, CHART_WIDTH - NAMES
    base, top = CHART_HEIGHT - MARGIN_BOTTOM, MARGIN_TOP
    step = (right - left) / max(1, len(places))
    columns = []
    for number, place in enumerate(places):
        information = place["kinds"]["information"]
        share, x = information["share"], left + number * step
        height = (base - top) * share
        text = f"{100 * share:.0f} %" if len(places) <= MANY_COLUMNS else ""
        columns.append(
            PositionColumn(
                position=place["position"],
                n=information["of"],
                x=round(x + 2, 2),
                width=round(max(step - 4, 1), 2),
                middle=round(x + step / 2, 2),
                top=round(base - height, 2),
                height=round(height, 2),
                rest=round(base - top - height, 2),
                text=text,
                inside=share >= WORD_FROM,
            )
        )
    ticks = [(round(base - (base - top) * share, 2), f"{100 * share:.0f} %") for share in (0, 0.5, 1)]
    return PositionColumns(columns, ticks, left, right, base)
