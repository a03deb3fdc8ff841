"""From the figures of sessions to what their part of a report's page prints. Nothing is computed here."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from agreement.catalogue import Figure
from agreement.second_ratings import FIGURES
from agreement.turn_catalogue import TURN_FIGURES
from agreement.turns import KINDS, RATINGS, TEXT_FIGURES
from reports.figures import Json, Shown, number, shown
from reports.session_plots import PositionColumns, RatingBars, position_columns, rating_bars
from reports.session_report import NO_SESSIONS, NO_TURNS, NO_VALUES
from reports.tables import BOTH_WAYS, UNIT, Table

ALL = "all models"
BARS = (("style", "style"), ("information", "information"), ("overall", "overall"))
WAYS = (("two_way", "two-way"), ("three_way", "three-way"))
IN_NUMBERS = "{}, in numbers"
STATUSES = {"active": "going on", "satisfied": "ready to send", "max_turns": "ended after the last turn"}


@dataclass(frozen=True)
class SessionsShown:
    """The tables in the order in which they are read, and the drawings that stand above two of them."""

    how_much: list[Table]
    rating_bars: RatingBars | None
    ratings: Table
    position_columns: PositionColumns | None
    positions: Table
    details: list[Table]
    texts_missing: str
    replicates: int

    @property
    def tables(self) -> list[Table]:
        return [*self.how_much, self.ratings, self.positions, *self.details]


def shown_sessions(report: Json) -> SessionsShown:
    """What is printed of a report (`reports.session_report` says its shape)."""
    ratings, places = report["ratings_by_kind"], report["kinds_by_position"]
    rated = any(one["n"] for one in ratings["total"]["overall"].values())
    details = [_types(report["instruction_types"], report["models"]), _errors(report["error_categories"])]
    details += [_retrieval(report["retrieval"])]
    details += [_texts(report["text_figures"])] if report["text_figures"] is not None else []
    return SessionsShown(
        how_much=[_overview(report["overview"]), _statuses(report["statuses"])],
        rating_bars=rating_bars(ratings, BARS) if rated else None,
        ratings=_ratings(ratings),
        position_columns=position_columns(places) if places else None,
        positions=_positions(places),
        details=[*details, _second(report["second_ratings"], report["undefined"])],
        texts_missing=report["undefined"].get("text_figures", ""),
        replicates=report["second_ratings"]["bootstrap"]["replicates"],
    )


def _count(figure: Figure, value: int) -> Shown:
    return Shown("", figure, str(value))


def _share(figure: Figure, one: Json, reason: str = NO_TURNS) -> Shown:
    if one["share"] is None:
        return Shown("", figure, "", reason=reason)
    return Shown("", figure, number(one["share"], "share"), counts=f"{one['n']} of {one['of']}")


def _heads(names: Iterable[str]) -> tuple[list[tuple[str, str]], list[Figure]]:
    """Columns by the names of their figures, and what explains them."""
    figures = [TURN_FIGURES[name] for name in names]
    return [(figure.title, figure.line) for figure in figures], figures


def _with_total(figures: Json) -> list[tuple[str, Json]]:
    """The parts by model, and that of all where there is not exactly one model."""
    models = list(figures["models"].items())
    return models if len(models) == 1 else [*models, (ALL, figures["total"])]


def _overview(overview: Json) -> Table:
    heads, lines = _heads(("sessions", "turns", "edited", "turns_per_session", *KINDS))
    rows = []
    for name, own in _with_total(overview):
        turns, mean = own["turns"], own["turns_per_session"]
        edited = {"n": own["edited"], "of": turns, "share": own["edited"] / turns if turns else None}
        mean_figure = TURN_FIGURES["turns_per_session"]
        cells = [
            _count(TURN_FIGURES["sessions"], own["sessions"]),
            _count(TURN_FIGURES["turns"], turns),
            _share(TURN_FIGURES["edited"], edited),
            Shown("", mean_figure, "", reason=NO_SESSIONS)
            if mean is None
            else Shown("", mean_figure, number(mean, "score")),
            *(_share(TURN_FIGURES[kind], own["kinds"][kind]) for kind in KINDS),
        ]
        rows.append((name, cells))
    return Table(TURN_FIGURES["overview"], "Model", heads, rows, lines=lines)


def _statuses(statuses: Json) -> Table:
    figure = TURN_FIGURES["statuses"]
    rows = [(STATUSES.get(name, name), [_share(figure, one, NO_SESSIONS)]) for name, one in statuses.items()]
    return Table(figure, "State", [("Share", "Of all sessions.")], rows)


def _ratings(ratings: Json) -> Table:
    rows = [
        (f"{name}, {label}", [_share(TURN_FIGURES["rating"], own[key][rating]) for rating in RATINGS])
        for name, own in _with_total(ratings)
        for key, label in BARS
    ]
    note = f"{ratings['unrated']} answered turns have no rating yet and are left out." if ratings["unrated"] else ""
    heads, figure = [(name, "") for name in RATINGS], TURN_FIGURES["ratings_by_kind"]
    return Table(figure, "Model", heads, rows, note, title=IN_NUMBERS.format(figure.title))


def _positions(places: Sequence[Json]) -> Table:
    heads, lines = _heads(KINDS)
    rows = [
        (str(place["position"]), [_share(TURN_FIGURES[kind], place["kinds"][kind]) for kind in KINDS])
        for place in places
    ]
    figure = TURN_FIGURES["kinds_by_position"]
    return Table(figure, "Position", heads, rows, lines=lines, title=IN_NUMBERS.format(figure.title))


def _types(types: Json, models: Sequence[str]) -> Table:
    heads, lines = _heads(("type_share", *KINDS, "good"))
    named = models if len(models) > 1 else []
    heads += [(f"Good, {model}", TURN_FIGURES["good"].line) for model in named]
    nothing = {"share": None}
    rows = []
    for name, own in types["types"].items():
        good = own["good"]
        cells = [
            _share(TURN_FIGURES["type_share"], own),
            *(_share(TURN_FIGURES[kind], own["kinds"][kind]) for kind in KINDS),
            _share(TURN_FIGURES["good"], good["total"]),
            *(_share(TURN_FIGURES["good"], good["models"].get(model, nothing)) for model in named),
        ]
        rows.append((name, cells))
    notes = [f"{types['untyped']} turns have no type and are left out."] if types["untyped"] else []
    if types["merged"]:
        notes.append(f"With less than 5 % and so among others: {', '.join(types['merged'])}.")
    return Table(TURN_FIGURES["instruction_types"], "Type", heads, rows, " ".join(notes), lines)


def _errors(errors: Json) -> Table:
    heads, lines = _heads(("error_share",))
    rows = [(name, [_share(TURN_FIGURES["error_share"], one)]) for name, one in errors["categories"].items()]
    left = errors["uncategorised"]
    note = f"{left} of {errors['turns']} turns rated neutral or bad have no category and are left out." if left else ""
    return Table(TURN_FIGURES["error_categories"], "Category", heads, rows, note, lines)


def _retrieval(retrieval: Json) -> Table:
    figure = TURN_FIGURES["retrieval"]
    heads = [("Of all judged", ""), ("Of turns rated neutral or bad", "The turns that the source study judged.")]
    rows = [(name, [_share(figure, retrieval[part][name]) for part in ("all", "failed")]) for name in retrieval["all"]]
    judged = any(one["n"] for one in retrieval["all"].values())
    return Table(figure, "Passages", heads, rows if judged else [])


def _texts(texts: Json) -> Table:
    heads, lines = _heads(("measured", *TEXT_FIGURES))
    rows = [(name, _means(own)) for part in ("types", "kinds", "models") for name, own in texts[part].items()]
    rows.append(("all turns", _means(texts["total"])))
    note = "Only turns rated good, or edited until they were."
    return Table(TURN_FIGURES["text_figures"], "Turns of", heads, rows, note, lines)


def _means(own: Json) -> list[Shown]:
    cells = [_count(TURN_FIGURES["measured"], own["turns"])]
    for name in TEXT_FIGURES:
        figure, one = TURN_FIGURES[name], own[name]
        fewer = f"n = {one['n']}" if one["n"] != own["turns"] else ""
        cells.append(
            Shown("", figure, "", reason=NO_VALUES)
            if one["mean"] is None
            else Shown("", figure, number(one["mean"], "score"), counts=fewer)
        )
    return cells


def _second(second: Json, undefined: Mapping[str, str]) -> Table:
    heads, lines = _heads(FIGURES)
    rows = []
    for way, label in WAYS:
        cells = []
        for name in FIGURES:
            own, figure = second[way], TURN_FIGURES[name]
            reason, axis = (
                undefined.get(f"second_ratings.{way}.{name}", ""),
                UNIT if figure.unit == "share" else BOTH_WAYS,
            )
            cell = shown(name, figure, own[name], own[f"{name}_ci"], reason, axis)
            deviation = own[f"{name}_sd"]
            spread = "" if deviation is None else f"sd {number(deviation, 'share')}"
            cells.append(Shown(name, figure, cell.value, cell.interval, cell.bar, cell.reason, spread))
        rows.append((label, cells))
    note = f"{second['ratings']} second ratings of {second['turns']} turns. Two-way takes neutral and bad for one."
    return Table(TURN_FIGURES["second_ratings"], "Ratings", heads, rows if second["ratings"] else [], note, lines)
