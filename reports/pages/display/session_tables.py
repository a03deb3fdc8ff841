"""The part of a report's page about revision sessions: its tables and drawings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agreement.catalogue.report_catalogue import Figure
from agreement.catalogue.turn_catalogue import NO_SESSIONS, NO_TURNS, NO_VALUES, SECOND_RATING_FIGURES, TURN_FIGURES
from agreement.turns.turn_figures import KINDS, RATINGS, TEXT_FIGURES
from reports.pages.display.plot_data import PlotData, bar_data
from reports.pages.display.printed_figures import BOTH_WAYS, UNIT, Axis, Json, PrintedFigure, number, plain, printed
from reports.pages.display.row_order import Sorting
from reports.pages.display.session_plots import ALL_MODELS, PositionColumns, RatingBars, position_columns, rating_bars
from reports.pages.display.tables import Table, column
from sessions.models import RevisionSession

BARS = (("style", "style"), ("information", "information"), ("overall", "overall"))
WAYS = (("two_way", "two-way"), ("three_way", "three-way"))
LABELS = (("instruction_type", "instruction_types"), ("error_category", "error_categories"), ("retrieval", "retrieval"))
"""Kinds of labels with the names of their figures."""
STATUSES: Mapping[str, str] = dict(RevisionSession.Status.choices)


@dataclass(frozen=True)
class SessionSection:
    """The tables in the order in which they are read, and the drawings above two of them."""

    how_much: list[Table]
    rating_bars: RatingBars | None
    ratings: Table
    position_columns: PositionColumns | None
    positions: Table
    details: list[Table]
    labellers: Sequence[str]
    labeller: str | None
    plots: list[PlotData]

    @property
    def tables(self) -> list[Table]:
        return [*self.how_much, self.ratings, self.positions, *self.details]

    @property
    def is_empty(self) -> bool:
        """Whether no session has begun."""
        return not any(one.number for table in self.how_much[:1] for _, cells in table.rows for one in cells[:1])

    def sorted_by(self, sorting: Sorting) -> "SessionSection":
        """The same section with the reader's order of its tables."""

        def made(table: Table) -> Table:
            return replace(table, sorting=sorting, prefix="sessions")

        return replace(
            self,
            how_much=[made(table) for table in self.how_much],
            ratings=made(self.ratings),
            positions=made(self.positions),
            details=[made(table) for table in self.details],
        )


def session_section(report: Json) -> SessionSection:
    """The part of the page for a report of `reports.figures.session_report`."""
    ratings, places, undefined = report["ratings_by_kind"], report["kinds_by_position"], report["undefined"]
    rated = any(one["n"] for one in ratings["total"]["overall"].values())
    second = report["second_ratings"]
    labels = [(name, report["label_agreement"][kind], f"label_agreement.{kind}") for kind, name in LABELS]
    between = [(way, second["between"][way], f"second_ratings.between.{way}") for way, _ in WAYS]
    return SessionSection(
        how_much=[_overview(report["overview"]), _statuses(report["statuses"])],
        rating_bars=rating_bars(ratings, BARS) if rated else None,
        ratings=_ratings(ratings),
        position_columns=position_columns(places) if places else None,
        positions=_positions(places),
        details=[
            _types(report["instruction_types"], report["models"]),
            _errors(report["error_categories"]),
            _retrieval(report["retrieval"]),
            *_agreement(("label_agreement", "label_pairs", "labellers"), labels, undefined),
            _texts(report["text_figures"]),
            _second(second, undefined),
            *_agreement(("second_agreement", "second_pairs", "second_raters"), between, undefined),
        ],
        labellers=report["labellers"]["all"],
        labeller=report["labellers"]["chosen"],
        plots=[*([_rating_data(ratings)] if rated else []), *([_position_data(places)] if places else [])],
    )


def _rating_data(ratings: Json) -> PlotData:
    """The shares of ratings by model and kind, as they are drawn."""
    bars = [
        (f"{name}, {label}", {rating: one["share"] or 0.0 for rating, one in own[key].items()},
         sum(one["n"] for one in own[key].values()))
        for name, own in _with_total(ratings) for key, label in BARS
    ]  # fmt: skip
    return bar_data("sessions-ratings", TURN_FIGURES["ratings_by_kind"].title, bars)


def _position_data(places: Sequence[Json]) -> PlotData:
    """The shares of kinds of instruction by position."""
    bars = [
        (str(place["position"]), {kind: place["kinds"][kind]["share"] or 0.0 for kind in KINDS},
         place["kinds"][KINDS[0]]["of"])
        for place in places
    ]  # fmt: skip
    return bar_data("sessions-positions", TURN_FIGURES["kinds_by_position"].title, bars)


def _share(figure: Figure, one: Json, reason: str = NO_TURNS) -> PrintedFigure:
    if one["share"] is None:
        return plain(figure, "", reason)
    return _with_interval(figure, one["share"], "share", one.get("share_ci"), f"{one['n']} of {one['of']}")


def _with_interval(
    figure: Figure, value: float, unit: str, interval: Sequence[float] | None, counts: str
) -> PrintedFigure:
    shown = plain(figure, number(value, unit), counts=counts, value=value)
    if not interval:
        return shown
    low, high = interval
    return replace(shown, interval=(number(low, unit), number(high, unit)), ends=(low, high))


def _axis(figure: Figure) -> Axis:
    return UNIT if figure.unit == "share" else BOTH_WAYS


def _heads(names: Iterable[str]) -> list[Figure]:
    return [TURN_FIGURES[name] for name in names]


def _with_total(figures: Json) -> list[tuple[str, Json]]:
    """The parts by model, and the total unless there is exactly one model."""
    models = list(figures["models"].items())
    return models if len(models) == 1 else [*models, (ALL_MODELS, figures["total"])]


def _overview(overview: Json) -> Table:
    heads = _heads(("sessions", "turns", "edited", "turns_per_session", *KINDS))
    rows = []
    for name, own in _with_total(overview):
        turns, mean = own["turns"], own["turns_per_session"]
        edited = {"n": own["edited"], "of": turns, "share": own["edited"] / turns if turns else None}
        per_session = TURN_FIGURES["turns_per_session"]
        cells = [
            plain(TURN_FIGURES["sessions"], str(own["sessions"]), value=own["sessions"]),
            plain(TURN_FIGURES["turns"], str(turns), value=turns),
            _share(TURN_FIGURES["edited"], edited),
            plain(per_session, "", NO_SESSIONS)
            if mean is None
            else plain(per_session, number(mean, "score"), value=mean),
            *(_share(TURN_FIGURES[kind], own["kinds"][kind]) for kind in KINDS),
        ]
        rows.append((name, cells))
    return Table(TURN_FIGURES["overview"], heads, rows)


def _statuses(statuses: Json) -> Table:
    figure = TURN_FIGURES["status"]
    rows = [(STATUSES.get(name, name), [_share(figure, one, NO_SESSIONS)]) for name, one in statuses.items()]
    return Table(TURN_FIGURES["statuses"], [figure], rows)


def _ratings(ratings: Json) -> Table:
    figure = TURN_FIGURES["ratings_by_kind"]
    rows = [
        (f"{name}, {label}", [_share(figure, own[key][rating]) for rating in RATINGS])
        for name, own in _with_total(ratings)
        for key, label in BARS
    ]
    return Table(figure, [column(name) for name in RATINGS], rows, "ratings_by_kind", ratings, "in_numbers")


def _positions(places: Sequence[Json]) -> Table:
    rows = [
        (str(place["position"]), [_share(TURN_FIGURES[kind], place["kinds"][kind]) for kind in KINDS])
        for place in places
    ]
    return Table(TURN_FIGURES["kinds_by_position"], _heads(KINDS), rows, variant="in_numbers")


def _types(types: Json, models: Sequence[str]) -> Table:
    good, named = TURN_FIGURES["good"], models if len(models) > 1 else []
    heads = _heads(("type_share", *KINDS, "good"))
    heads += [replace(good, title=f"{good.title}, {model}", anchor="") for model in named]
    rows = []
    for name, own in types["types"].items():
        cells = [
            _share(TURN_FIGURES["type_share"], own),
            *(_share(TURN_FIGURES[kind], own["kinds"][kind]) for kind in KINDS),
            _share(good, own["good"]["total"]),
            *(_share(good, own["good"]["models"].get(model, {"share": None})) for model in named),
        ]
        rows.append((name, cells))
    return Table(TURN_FIGURES["instruction_types"], heads, rows, "instruction_types", types)


def _errors(errors: Json) -> Table:
    figure = TURN_FIGURES["error_share"]
    rows = [(name, [_share(figure, one)]) for name, one in errors["categories"].items()]
    return Table(TURN_FIGURES["error_categories"], [figure], rows, "error_categories", errors)


def _retrieval(retrieval: Json) -> Table:
    heads = _heads(("retrieval_all", "retrieval_failed"))
    rows = [
        (name, [_share(head, retrieval[part][name]) for head, part in zip(heads, ("all", "failed"), strict=True)])
        for name in retrieval["all"]
    ]
    labelled = any(one["n"] for one in retrieval["all"].values())
    return Table(TURN_FIGURES["retrieval"], heads, rows if labelled else [])


def _agreement(
    names: tuple[str, str, str], parts: Sequence[tuple[str, Json, str]], undefined: Mapping[str, str]
) -> Iterator[Table]:
    """Two tables for labels or ratings by the same raters: all raters together, and, if there are any, their pairs.

    `names` are those of the two tables and of the number of raters; `parts` are (name, figures, dotted name).
    """
    table, pairs_table, raters = names
    figures = {name: TURN_FIGURES[name] for name in (raters, "turns_with_two_or_more")}
    estimates = {name: TURN_FIGURES[name] for name in ("percent_agreement", "alpha_nominal")}
    of_pairs = _heads(("pair_turns", "percent_agreement", "cohen_kappa"))
    rows, pairs, missing = [], [], ""
    for part, own, path in parts:
        if not own["labels"]:
            continue
        label = dict(WAYS).get(part) or TURN_FIGURES[part].title
        counts = (len(own["raters"]), own["turns_with_two_or_more"])
        cells = [plain(figure, str(count), value=count) for figure, count in zip(figures.values(), counts, strict=True)]
        cells += [
            printed(name, figure, own[name], own[f"{name}_ci"], undefined.get(f"{path}.{name}", ""), _axis(figure))
            for name, figure in estimates.items()
        ]
        rows.append((label, cells))
        missing = undefined.get(f"{path}.pairs", missing)
        for place, pair in enumerate(own["pairs"] or []):
            reason = undefined.get(f"{path}.pairs.{place}.cohen_kappa", "")
            of_pair = [
                plain(of_pairs[0], str(pair["turns"]), value=pair["turns"]),
                plain(of_pairs[1], number(pair["percent_agreement"], "share"), value=pair["percent_agreement"]),
                printed("cohen_kappa", of_pairs[2], pair["cohen_kappa"], pair["cohen_kappa_ci"], reason, BOTH_WAYS),
            ]
            pairs.append((f"{label}: {' · '.join(pair['raters'])}", of_pair))
    heads = [*figures.values(), *estimates.values()]
    yield Table(TURN_FIGURES[table], heads, rows, "pairs_missing", {"reason": missing})
    if pairs:
        yield Table(TURN_FIGURES[pairs_table], of_pairs, pairs)


def _texts(texts: Json) -> Table:
    rows = [(name, _means(own)) for part in ("types", "kinds", "models") for name, own in texts[part].items()]
    rows.append(("all turns", _means(texts["total"])))
    return Table(TURN_FIGURES["text_figures"], _heads(("measured", *TEXT_FIGURES)), rows, "text_figures")


def _means(own: Json) -> list[PrintedFigure]:
    cells = [plain(TURN_FIGURES["measured"], str(own["turns"]), value=own["turns"])]
    for name in TEXT_FIGURES:
        figure, one = TURN_FIGURES[name], own[name]
        fewer = f"n = {one['n']}" if one["n"] != own["turns"] else ""
        if one["mean"] is None:
            cells.append(plain(figure, "", NO_VALUES))
        else:
            cells.append(_with_interval(figure, one["mean"], "score", one.get("mean_ci"), fewer))
    return cells


def _second(second: Json, undefined: Mapping[str, str]) -> Table:
    rows = []
    for way, label in WAYS:
        cells, own = [], second[way]
        for name in SECOND_RATING_FIGURES:
            figure = TURN_FIGURES[name]
            reason = undefined.get(f"second_ratings.{way}.{name}", "")
            cell = printed(name, figure, own[name], own[f"{name}_ci"], reason, _axis(figure))
            deviation = own[f"{name}_sd"]
            cells.append(replace(cell, counts="" if deviation is None else f"sd {number(deviation, 'share')}"))
        rows.append((label, cells))
    return Table(
        TURN_FIGURES["second_ratings"], _heads(SECOND_RATING_FIGURES), rows if second["ratings"] else [],
        "second_ratings", second,
    )  # fmt: skip
