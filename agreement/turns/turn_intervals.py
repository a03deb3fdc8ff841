"""Intervals of the shares and means over the turns of sessions: sessions are drawn, as turns of one are alike.

Source of the figures: Xu et al. 2024, *KIWI*, Figure 2 and Table 6, which give no intervals (reading).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from agreement.intervals.bootstrap import Key, Shares
from agreement.intervals.interval_report import REPLICATES
from agreement.turns.turn_figures import RATINGS, TEXT_FIGURES, TurnRow, has_good_target, merged_types, text_measures
from agreement.turns.turn_means import TurnValue, turn_means

ALL = ""
OVERALL = "overall"
Json = dict[str, Any]


def add_rating_intervals(
    figures: Json, turns: Sequence[TurnRow], sessions: Sequence[str], *, replicates: int = REPLICATES
) -> None:
    """Add `share_ci` to each share of `turn_figures.ratings_by_kind`; None with its reason if there is no interval."""
    parts = {**{(model,): own for model, own in figures["models"].items()}, (ALL,): figures["total"]}
    shares = {(*model, kind, rating): own[kind][rating] for model, own in parts.items() for kind in own
              for rating in RATINGS}  # fmt: skip
    report = turn_means(turns, sessions, {key: _is_rated(*key) for key in shares}, kind=Shares, replicates=replicates)
    for key, share in shares.items():
        _add(share, "share_ci", report, key)


def add_text_intervals(
    figures: Json, turns: Sequence[TurnRow], sessions: Sequence[str], *, replicates: int = REPLICATES
) -> None:
    """Add `mean_ci` to each mean of `turn_figures.text_figures`; None with its reason if there is no interval."""
    kept = [turn for turn in turns if has_good_target(turn)]
    names = merged_types(turns)
    measured = {(turn.session, turn.number): text_measures(turn) for turn in kept}
    own = {
        (turn.session, turn.number): {
            ("types", names.get(turn.instruction_type or "")), ("kinds", turn.kind), ("models", turn.model), (ALL, ALL),
        }
        for turn in kept
    }  # fmt: skip
    groups = {(part, name): means for part in ("types", "kinds", "models") for name, means in figures[part].items()}
    means = {
        (part, name, figure): group[figure]
        for (part, name), group in {**groups, (ALL, ALL): figures["total"]}.items() for figure in TEXT_FIGURES
    }  # fmt: skip

    def value_of(part: str, name: str, figure: str) -> TurnValue:
        column = TEXT_FIGURES.index(figure)

        def value(turn: TurnRow) -> float | None:
            place = turn.session, turn.number
            return measured[place][column] if (part, name) in own[place] else None

        return value

    report = turn_means(kept, sessions, {key: value_of(*key) for key in means}, replicates=replicates)
    for key, mean in means.items():
        _add(mean, "mean_ci", report, key)


def _is_rated(model: str, kind: str, rating: str) -> TurnValue:
    def value(turn: TurnRow) -> float | None:
        counts = model in (ALL, turn.model) and kind in (OVERALL, turn.kind) and turn.rating is not None
        return float(turn.rating == rating) if counts else None

    return value


def _add(figure: Json, name: str, report: Mapping[str, Any], key: Key) -> None:
    """Add the interval at a key of `turn_means`, and the reason if there is none, to a figure that is defined."""
    path = ("means", *key[:-1], f"{key[-1]}_ci")
    found: Any = report
    for part in path:
        found = found[part]
    figure[name] = found
    reason = report["undefined"].get(".".join(path))
    if reason is not None and found is None:
        figure["undefined"] = {name: reason}
