"""Second ratings compared with the users' own: by hand, and undefined figures."""

import json

import pytest

from agreement.turns.second_rating_figures import second_ratings

TABLE = {
    ("good", "good"): 20, ("good", "neutral"): 3, ("good", "bad"): 2, ("neutral", "good"): 5, ("neutral", "neutral"): 8,
    ("neutral", "bad"): 4, ("bad", "good"): 1, ("bad", "neutral"): 6, ("bad", "bad"): 16,
}  # fmt: skip


def pairs(table):
    found = [pair for pair, times in table.items() for _ in range(times)]
    return [(number, *pair) for number, pair in enumerate(found)]


def test_figures_by_hand():
    report = second_ratings(pairs(TABLE))
    assert (report["turns"], report["ratings"]) == (65, 65)
    two, three = report["two_way"], report["three_way"]
    # Two-way: 20 good by both, 5 by the user only, 6 by the other only, 34 by neither.
    assert two["accuracy"] == pytest.approx(54 / 65)
    chance = (25 * 26 + 40 * 39) / 65**2
    assert two["cohen_kappa"] == pytest.approx((54 / 65 - chance) / (1 - chance))
    assert two["precision"] == pytest.approx(20 / 26)
    assert two["recall"] == pytest.approx(20 / 25)
    assert two["f1"] == pytest.approx(40 / 51)
    assert two["labels"]["good"] == {"n": 26, "of": 65, "share": 0.4}
    assert three["accuracy"] == pytest.approx(44 / 65)
    chance = (25 * 26 + 17 * 17 + 23 * 22) / 65**2
    assert three["cohen_kappa"] == pytest.approx((44 / 65 - chance) / (1 - chance))
    assert three["precision"] == pytest.approx((20 / 26 + 8 / 17 + 16 / 22) / 3)
    assert three["recall"] == pytest.approx((20 / 25 + 8 / 17 + 16 / 23) / 3)
    assert report["undefined"] == {}


def test_the_deviation_equals_that_of_resampled_turns():
    report = second_ratings(pairs(TABLE), replicates=4000)
    share = 54 / 65
    assert report["two_way"]["accuracy_sd"] == pytest.approx((share * (1 - share) / 65) ** 0.5, rel=0.05)
    low, high = report["two_way"]["accuracy_ci"]
    assert low < share < high
    assert second_ratings(pairs(TABLE)) == second_ratings(pairs(TABLE))
    assert second_ratings(pairs(TABLE), seed=1) != second_ratings(pairs(TABLE))


def test_several_ratings_of_a_turn_are_drawn_together():
    twice = [(turn, *said) for turn, *said in pairs(TABLE) for _ in range(2)]
    once, both = second_ratings(pairs(TABLE)), second_ratings(twice)
    assert (both["turns"], both["ratings"]) == (65, 130)
    assert both["two_way"]["accuracy_sd"] == pytest.approx(once["two_way"]["accuracy_sd"])


@pytest.mark.parametrize(
    ("given", "reason"),
    [([], "no turn was rated a second time"), ([(1, "good", "good"), (2, "good", "good")], "chance agreement")],
)
def test_undefined_figures_have_reasons(given, reason):
    report = second_ratings(given)
    assert report["two_way"]["cohen_kappa"] is None
    assert report["two_way"]["cohen_kappa_sd"] is None
    assert reason in report["undefined"]["two_way.cohen_kappa"]
    nothing = {
        f"{way}.{name}" for way in ("two_way", "three_way") for name, value in report[way].items() if value is None
    }
    assert nothing == set(report["undefined"])
    json.dumps(report, allow_nan=False)


def test_an_unknown_rating_is_refused():
    with pytest.raises(ValueError, match="index"):
        second_ratings([(1, "good", "fine")])
