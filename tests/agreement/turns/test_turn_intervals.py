"""Intervals of figures of turns: sessions are drawn whole, and every reported share and mean has one."""

import numpy as np
import pytest

from agreement.intervals.bootstrap import NO_VARIATION
from agreement.turns.turn_figures import TurnRow, ratings_by_kind, text_figures
from agreement.turns.turn_intervals import add_rating_intervals, add_text_intervals

SESSIONS = {f"s{number}": f"model-{number % 2}" for number in range(12)}


def turn(session, number, rating, kind="style", words=3, kind_of_type=None):
    text = " ".join(["word"] * words)
    return TurnRow(session, SESSIONS[session], number, kind, rating, "Shorter.", "a b c", text,
                   instruction_type=kind_of_type)  # fmt: skip


@pytest.fixture
def turns():
    """Sessions that are wholly good or wholly bad: so the interval is as wide as that of 12 single turns."""
    return [
        turn(session, number, "good" if place % 3 else "bad", "information" if number % 2 else "style", 3 + place)
        for place, session in enumerate(SESSIONS)
        for number in range(1, 5)
    ]


def test_sessions_are_drawn_and_not_turns(turns):
    figures = ratings_by_kind(turns)
    add_rating_intervals(figures, turns, list(SESSIONS), replicates=4000)
    good = figures["total"]["overall"]["good"]
    assert good["share"] == pytest.approx(8 / 12)
    random = np.random.default_rng(5)
    of_session = np.array([place % 3 > 0 for place in range(12)])
    drawn = of_session[random.integers(0, 12, (20000, 12))].mean(axis=1)
    assert good["share_ci"] == pytest.approx(np.percentile(drawn, [2.5, 97.5]), abs=0.09)
    assert good["share_ci"][1] - good["share_ci"][0] > 0.4  # 48 turns drawn one by one: 0.27


def test_every_share_and_mean_has_an_interval_or_a_reason(turns):
    ratings, texts = ratings_by_kind(turns), text_figures(turns)
    add_rating_intervals(ratings, turns, list(SESSIONS), replicates=50)
    add_text_intervals(texts, turns, list(SESSIONS), replicates=50)

    def leaves(part, name):
        if isinstance(part, dict):
            if name in part:
                yield part
            else:
                for value in part.values():
                    yield from leaves(value, name)

    shares = list(leaves(ratings, "share"))
    means = [one for group in ("types", "kinds", "models", "total") for one in leaves(texts[group], "mean")]
    assert len(shares) == 3 * 3 * 3
    assert len(means) == 6 * 5
    for name, found in (("share", shares), ("mean", means)):
        for one in found:
            if one[f"{name}_ci"] is None:
                assert one["undefined"][f"{name}_ci"] == NO_VARIATION
            else:
                low, high = one[f"{name}_ci"]
                assert low <= one[name] <= high


def test_one_session_has_no_interval_but_its_reason():
    turns = [turn("s0", 1, "good"), turn("s0", 2, "bad")]
    figures = ratings_by_kind(turns)
    add_rating_intervals(figures, turns, ["s0"], replicates=50)
    good = figures["total"]["overall"]["good"]
    assert (good["share"], good["share_ci"]) == (0.5, None)
    assert "share_ci" in good["undefined"]
