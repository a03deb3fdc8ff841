import numpy as np
import pytest

from agreement.arrays.scored_outputs import scores_of_ratings
from agreement.intervals.bootstrap import estimate
from agreement.intervals.bounded_intervals import clustered_mean
from agreement.systems import win_matrix as module
from agreement.systems.pair_figures import win_tie_loss
from agreement.systems.win_matrix import TOO_LARGE, meetings_of_choices, meetings_of_scores, win_matrix, win_shares

pytestmark = pytest.mark.quick


def matrix(meetings, replicates=200):
    shares = win_shares(meetings)
    return win_matrix(meetings, estimate([shares], meetings.items, replicates, 0) if shares else {})


def test_outputs_of_an_item_meet_by_their_means(ratings_of):
    ratings = ratings_of({
        (1, "a"): {"r": 3, "s": 4}, (1, "b"): {"r": 3}, (2, "a"): {"r": 1}, (2, "b"): {"r": 1}, (3, "a"): {"r": 5},
    })  # fmt: skip
    [row] = matrix(meetings_of_scores(scores_of_ratings(ratings, np.full(5, np.nan))))
    assert {key: row[key] for key in ("systems", "n", "win", "tie", "loss", "share")} == {
        "systems": ["a", "b"], "n": 2, "win": 1, "tie": 1, "loss": 0, "share": 0.75,
    }  # fmt: skip
    low, high = row["share_ci"]
    assert (low, high) == pytest.approx(clustered_mean(0.75, np.array([1, 0.5]), np.ones(2), (0.0, 1.0)))


def test_counts_of_judgments_are_those_of_the_agreement_report(choices_of):
    rng = np.random.default_rng(1)
    rows = [
        (item, one, other, rater, [one, other, None][rng.integers(0, 3)])
        for item in range(12) for one, other in (("a", "b"), ("c", "a"), ("b", "c")) for rater in "rs"
    ]  # fmt: skip
    choices = choices_of(rows)
    known = win_tie_loss(choices)
    for row in matrix(meetings_of_choices(choices)):
        a, b = row["systems"]
        assert {name: row[name] for name in ("win", "tie", "loss")} == known[a][b]
        assert row["share"] == pytest.approx((known[a][b]["win"] + known[a][b]["tie"] / 2) / row["n"])


def test_too_many_cells_have_no_intervals_and_say_so(choices_of, monkeypatch):
    monkeypatch.setattr(module, "MOST_CELLS", 1)
    [row] = matrix(meetings_of_choices(choices_of([(1, "a", "b", "r", "a"), (2, "a", "b", "r", "b")])))
    assert (row["share"], row["share_ci"], row["undefined"]) == (0.5, None, TOO_LARGE)


def test_systems_that_never_met_have_no_row(ratings_of):
    ratings = ratings_of({(1, "a"): {"r": 3}, (2, "b"): {"r": 3}})
    meetings = meetings_of_scores(scores_of_ratings(ratings, np.full(2, np.nan)))
    assert matrix(meetings) == []
