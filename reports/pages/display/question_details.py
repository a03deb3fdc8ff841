"""The details of a question as tables and drawings of the report's page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from agreement.catalogue.details_catalogue import DETAIL_COLUMNS, DETAIL_TABLES
from agreement.catalogue.report_catalogue import Figure
from reports.pages.display.counted_items import CountedItems
from reports.pages.display.plot_data import PlotData, PlotPoint
from reports.pages.display.plots import DotPlot, dot_plot
from reports.pages.display.printed_figures import (
    BOTH_WAYS,
    UNIT,
    Axis,
    Json,
    PrintedFigure,
    axis_around,
    number,
    p_value,
    plain,
    printed,
)
from reports.pages.display.tables import Table, column

DASH = "\N{EN DASH}"
MINUS = " \N{MINUS SIGN} "
MOST_RATERS = 12
"""Raters of the table of raters against raters; the page on disagreement has more."""
MOST_IN_MATRIX = 16
"""Systems of a win matrix; larger ones are listed by pair."""
SIDES = {"first": "The output shown first", "tie": "Neither", "second": "The other output"}
LONGER = {"longer": "The longer output", "tie": "Neither", "shorter": "The shorter output"}


@dataclass(frozen=True)
class PrintedDetails:
    """What the page adds to a question's section: tables, ranks as a drawing, and one line for each part left out."""

    tables: list[Table]
    ranks: DotPlot | None = None
    left_out: list[tuple[str, str]] = field(default_factory=list)
    rank_data: PlotData | None = None


def question_details(
    details: Json, matrix: Json | None, scale: Axis | None, leads: CountedItems | None = None
) -> PrintedDetails:
    """The printed details of a question; `matrix` is the disagreement report's table of raters, if it is kept.

    `leads` gives the counts of answers links to their items.
    """
    if details.get("reason", "absent"):
        return PrintedDetails([table] if (table := _raters(matrix)) else [])
    made = (
        _systems(details, scale), _wins(details), _tests(details), _distribution(details, leads), _over_time(details),
        _raters(matrix), _places(details, scale), _shares(details, "positions", "sides", SIDES),
        _lengths(details, scale), _shares(details, "lengths", "longer", LONGER),
    )  # fmt: skip
    return PrintedDetails(
        [table for table in made if table is not None], _rank_plot(details), _left_out(details),
        _rank_data(details),
    )  # fmt: skip


def _left_out(details: Json) -> list[tuple[str, str]]:
    """What is left out, with the reason."""
    found = [("systems", details["undefined"].get("systems", ""), "Ranks, letters and wins of systems")]
    found.append(("letters", details["undefined"].get("letters", ""), "Letters"))
    found.append(("over_time", details["over_time"]["undefined"], "Agreement over time"))
    found.append(("distribution", details["distribution"]["undefined"], "Distribution of answers"))
    found.append(("places", (details["positions"] or {}).get("undefined", ""), "Effect of the place"))
    return [(title, reason) for _, reason, title in found if reason and isinstance(reason, str)]


def _columns(*names: str) -> list[Figure]:
    return [DETAIL_COLUMNS[name] for name in names]


def _figure(name: str, row: Json, axis: Axis | None, key: str = "") -> PrintedFigure:
    """A figure of a row with its interval; `key` is its key in the row if that is not its name."""
    at = key or name
    reason = row.get("undefined") or {}
    return printed(name, DETAIL_COLUMNS[name], row[at], row.get(f"{at}_ci"), reason.get(at, ""), axis)


def _count(name: str, value: int) -> PrintedFigure:
    return plain(DETAIL_COLUMNS[name], number(value, "count"))


def _systems(details: Json, scale: Axis | None) -> Table | None:
    """Systems from best to worst: rank, mean score, letters."""
    systems: Sequence[Json] = details["systems"]
    if not systems:
        return None
    ranks, means = _rank_axis(systems), _score_axis(details, systems, scale)
    rows = []
    for row in systems:
        letters = plain(DETAIL_COLUMNS["letters"], row["letters"] or DASH)
        cells = [_figure("rank", row, ranks), letters, _figure("mean", row, means), _count("outputs", row["outputs"])]
        rows.append((row["name"], cells))
    return Table(DETAIL_TABLES["systems"], _columns("rank", "letters", "mean", "outputs"), rows)


def _rank_axis(systems: Sequence[Json]) -> Axis:
    return (1.0, float(max(len(systems), 2)))


def _score_axis(details: Json, rows: Sequence[Json], scale: Axis | None) -> Axis | None:
    """The axis of mean scores: the question's scale, shares of points for choices, or one around the scores."""
    if details["level"] == "choice":
        return UNIT
    if details["level"] == "rank":
        ends = [end for row in rows for end in (row["mean"], *(row["mean_ci"] or ()))]
        return axis_around("score", ends, None)
    return scale


def _rank_plot(details: Json) -> DotPlot | None:
    """Ranks on an axis on which better is further right."""
    ranked = [row for row in details["systems"] if row["rank"] is not None]
    if len(ranked) < 2:
        return None
    low, high = _rank_axis(ranked)
    values = {row["name"]: low + high - row["rank"] for row in ranked}
    intervals = {row["name"]: [low + high - end for end in reversed(row["rank_ci"])] if row["rank_ci"] else None
                 for row in ranked}  # fmt: skip
    plot = dot_plot(values, intervals, (low, high))
    return replace(plot, ticks=[(plot.left, "last"), (plot.right, "first")])


def _rank_data(details: Json) -> PlotData | None:
    """The same ranks for files, on an axis from the last to the first."""
    ranked = sorted((row for row in details["systems"] if row["rank"] is not None), key=lambda row: row["rank"])
    if len(ranked) < 2:
        return None
    low, high = _rank_axis(ranked)
    points = []
    for row in ranked:
        best, worst = row["rank_ci"] or (None, None)
        points.append(PlotPoint(row["name"], row["rank"], best, worst))
    return PlotData("ranks", "dots", "Ranks of systems", "rank, 1 is best", (high, low), tuple(points))


def _wins(details: Json) -> Table | None:
    """Shares of systems against systems, in the order of the ranks; a row per pair if there are many systems."""
    wins: Sequence[Json] = details["wins"]
    names = [row["name"] for row in details["systems"]]
    if not wins or len(names) < 3:
        return None
    figure, shares = DETAIL_TABLES["wins"], dict[tuple[str, str], PrintedFigure]()
    for row in wins:
        a, b = row["systems"]
        shares[a, b] = _percent(row["share"], row["share_ci"], row["n"])
        ends = [1 - end for end in reversed(row["share_ci"])] if row["share_ci"] else None
        shares[b, a] = _percent(1 - row["share"], ends, row["n"])
    if len(names) > MOST_IN_MATRIX:
        met = [(MINUS.join((a, b)), [shares[a, b]]) for a in names for b in names if a < b and (a, b) in shares]
        return Table(figure, [column("Wins of the first")], met, is_extra=True)
    none = plain(figure, DASH)
    rows = [(name, [shares.get((name, other), none) for other in names]) for name in names]
    return Table(figure, [column(name) for name in names], rows, is_extra=True)


def _percent(share: float, interval: Sequence[float] | None, n: int) -> PrintedFigure:
    ends = (f"{100 * interval[0]:.0f}", f"{100 * interval[1]:.0f}") if interval else None
    return PrintedFigure("wins", DETAIL_TABLES["wins"], f"{100 * share:.0f}", ends)


def _tests(details: Json) -> Table | None:
    tests: Sequence[Json] = details["tests"]
    if not tests:
        return None
    rows = []
    for row in tests:
        ps = [
            plain(DETAIL_COLUMNS[name], "" if row[name] is None else p_value(row[name]), row["undefined"])
            for name in ("p", "p_holm")
        ]
        reason = {"mean_difference": row["undefined"]}
        difference = _figure("mean_difference", {**row, "undefined": reason}, None)
        rows.append((MINUS.join(row["systems"]), [_count("items", row["items"]), difference, *ps]))
    return Table(DETAIL_TABLES["tests"], _columns("items", "mean_difference", "p", "p_holm"), rows, is_extra=True)


def _distribution(details: Json, leads: CountedItems | None) -> Table | None:
    """Percent of each answer per system, each leading to its items; the number of answers in the last column."""
    given = details["distribution"]
    labels = given.get("labels", {})
    if not given["bins"]:
        return None
    heads = [column(_bin(one, labels)) for one in given["bins"]]
    systems = sorted(given["systems"].items())
    bins = given["bins"]
    rows = [(name, _shares_of(counts, bins, leads, name)) for name, counts in systems]
    if given["all"] is not None and len(rows) != 1:
        rows.append(("All answers", _shares_of(given["all"], bins, leads)))
    return Table(DETAIL_TABLES["distribution"], [*heads, DETAIL_COLUMNS["answers"]], rows, is_extra=True)


def _bin(one: Json | str, labels: Mapping[str, str]) -> str:
    """The name of a bin: an outcome, an answer, or the ends of a part of the scale."""
    if isinstance(one, str):
        return one.capitalize()
    low, high = one["low"], one["high"]
    if low == high:
        return labels.get(f"{low:g}", f"{low:g}")
    return f"{low:g} to {high:g}"


def _shares_of(
    counts: Sequence[int], bins: Sequence[Json | str], leads: CountedItems | None, system: str = ""
) -> list[PrintedFigure]:
    figure, total = DETAIL_TABLES["distribution"], sum(counts)
    cells = [plain(figure, f"{100 * count / total:.1f}" if total else DASH) for count in counts]
    if leads is not None:
        cells = [
            replace(cell, address=leads.answers(one, is_last=one is bins[-1], system=system)) if count else cell
            for cell, one, count in zip(cells, bins, counts, strict=True)
        ]
    return [*cells, _count("answers", total)]


def _over_time(details: Json) -> Table | None:
    windows: Sequence[Json] = details["over_time"]["windows"]
    if not windows:
        return None
    rows = [
        (
            _days(row),
            [
                _count("units", row["units"]), _count("raters", row["raters"]),
                _figure("alpha", row, BOTH_WAYS), _figure("percent_agreement", row, UNIT),
            ],
        )
        for row in windows
    ]  # fmt: skip
    return Table(DETAIL_TABLES["over_time"], _columns("units", "raters", "alpha", "percent_agreement"), rows)


def _days(row: Json) -> str:
    """The dates of a window, with times if it begins and ends on one day."""
    first, last = datetime.fromisoformat(row["from"]), datetime.fromisoformat(row["to"])
    if first.date() == last.date():
        return f"{first:%Y-%m-%d %H:%M} to {last:%H:%M}"
    return f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"


def _raters(matrix: Json | None) -> Table | None:
    """Each two raters, from the kept report on disagreement; none with one rater or too many for a page."""
    if not matrix or not 2 <= len(matrix["raters"]) <= MOST_RATERS:
        return None
    figure, names = DETAIL_TABLES["raters"], matrix["raters"]

    def cell(row: int, place: int) -> PrintedFigure:
        n = matrix["n"][row][place]
        if row == place or not n:
            return plain(figure, DASH)
        return plain(figure, f"{100 * matrix['equal'][row][place] / n:.0f}", counts=f"of {n:,}")

    rows = [(name, [cell(row, place) for place in range(len(names))]) for row, name in enumerate(names)]
    return Table(figure, [column(name) for name in names], rows, is_extra=True)


def _places(details: Json, scale: Axis | None) -> Table | None:
    places: Sequence[Json] = (details["positions"] or {}).get("places", ())
    if not places:
        return None
    reach = max((abs(end) for row in places for end in row["effect_ci"] or (row["effect"] or 0.0,)), default=0.0)
    axis = (-max(reach, 0.5), max(reach, 0.5))
    rows = [
        (
            str(row["place"]),
            [_count("n", row["n"]), _figure("mean_answer", row, None, "mean"), _figure("effect", row, axis)],
        )
        for row in places
    ]
    return Table(DETAIL_TABLES["places"], _columns("n", "mean_answer", "effect"), rows, is_extra=True)


def _shares(details: Json, part: str, table: str, names: Mapping[str, str]) -> Table | None:
    """Shares of judgments by what was chosen."""
    shares = (details[part] or {}).get("shares")
    if not shares or not shares["n"]:
        return None
    rows = [(label, [_figure("share", shares, UNIT, key)]) for key, label in names.items()]
    return Table(DETAIL_TABLES[table], _columns("share"), rows, is_extra=True)


def _lengths(details: Json, scale: Axis | None) -> Table | None:
    groups: Sequence[Json] = (details["lengths"] or {}).get("groups", ())
    if len(groups) < 2:
        return None
    axis = _score_axis(details, groups, scale)
    rows = [
        (_range(row), [_count("length_outputs", row["n"]), _figure("length_mean", row, axis, "mean")])
        for row in groups
    ]  # fmt: skip
    found = details["lengths"]
    note = {
        "r": None if found["r"] is None else number(found["r"], "share"),
        "ends": [number(end, "share") for end in found["r_ci"] or ()],
    }
    return Table(
        DETAIL_TABLES["lengths"], _columns("length_outputs", "length_mean"), rows, "length_effect", note, is_extra=True
    )  # fmt: skip


def _range(row: Json) -> str:
    return f"{row['low']:,} to {row['high']:,}" if row["low"] < row["high"] else f"{row['low']:,}"
