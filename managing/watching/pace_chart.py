"""The answers of the last days as columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

WIDTH, HEIGHT, MARGIN, TOP, BOTTOM = 640.0, 156.0, 8.0, 24.0, 22.0
EVERY = 7


@dataclass(frozen=True)
class DayColumn:
    """One day: its rectangle, its number of answers and the middle of its column."""

    day: date
    count: int
    x: float
    y: float
    width: float
    height: float
    middle: float
    has_label: bool


@dataclass(frozen=True)
class DayChart:
    """Columns on a zero baseline."""

    columns: Sequence[DayColumn]
    width: float = WIDTH
    height: float = HEIGHT
    base: float = HEIGHT - BOTTOM
    left: float = MARGIN
    right: float = WIDTH - MARGIN
    tick_text: float = HEIGHT - 6


def day_chart(days: Sequence[tuple[date, int]]) -> DayChart:
    """A column for each day, the highest as high as the chart, with a label below every seventh and the last."""
    most = max([1, *(count for _, count in days)])
    step, room = (WIDTH - 2 * MARGIN) / max(len(days), 1), HEIGHT - BOTTOM - TOP
    columns = []
    for place, (day, count) in enumerate(days):
        x, height = MARGIN + place * step, room * count / most
        columns.append(
            DayColumn(
                day, count, round(x + 1.5, 2), round(HEIGHT - BOTTOM - height, 2), round(step - 3, 2), round(height, 2),
                round(x + step / 2, 2), (len(days) - 1 - place) % EVERY == 0,
            )
        )  # fmt: skip
    return DayChart(columns)
