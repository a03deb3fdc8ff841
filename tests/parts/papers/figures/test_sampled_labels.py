"""Seeded samples of turns, and the shares of their labels with exact intervals."""

import pytest
from scipy.stats import beta

from agreement.turn_figures import TurnRow
from parts.papers.figures.sampled_labels import NOT_LABELLED, sampled_shares, sampled_turns

pytestmark = pytest.mark.quick
RATINGS = ("good", "neutral", "bad", None)
TURNS = [
    TurnRow(
        f"s{n // 8}", f"m{n // 8 % 3}", n % 8 + 1, ("information", "style")[n % 2], RATINGS[n // 2 % 4], "i", "a", "b"
    )
    for n in range(240)
]
BY_KEY = {(turn.session, turn.number): turn for turn in TURNS}


def test_a_sample_has_only_fitting_turns():
    sample = sampled_turns(TURNS, 20, seed=1, kind="information", failed=True)
    assert len(set(sample)) == 20
    assert {BY_KEY[key].kind for key in sample} == {"information"}
    assert {BY_KEY[key].rating for key in sample} == {"neutral", "bad"}
    fitting = [key for key, turn in BY_KEY.items() if turn.kind == "style"]
    assert sorted(sampled_turns(TURNS, 999, seed=1, kind="style")) == sorted(fitting)


def test_a_smaller_sample_begins_a_larger_one_and_the_order_of_turns_is_no_matter():
    large = sampled_turns(TURNS, 50, seed=3)
    assert sampled_turns(TURNS[::-1], 20, seed=3) == large[:20]
    assert sampled_turns(TURNS, 50, seed=4) != large


def test_a_sample_may_have_as_many_turns_of_each_model():
    sample = sampled_turns(TURNS, 10, seed=2, failed=True, per_model=True)
    models = [BY_KEY[key].model for key in sample]
    assert {model: models.count(model) for model in models} == {"m0": 10, "m1": 10, "m2": 10}


def test_every_turn_is_as_likely_to_be_drawn():
    drawn = [key for seed in range(400) for key in sampled_turns(TURNS[:10], 3, seed=seed)]
    counts = [drawn.count((turn.session, turn.number)) for turn in TURNS[:10]]
    assert sum(counts) == 1200
    assert max(abs(count - 120) for count in counts) < 5 * (400 * 0.3 * 0.7) ** 0.5


def test_the_shares_of_the_source_study_and_their_intervals():
    """KIWI found sufficient passages for 50 % of 20 turns, some for 20 % and none for 30 %."""
    values = ["sufficient"] * 10 + ["partial"] * 4 + ["missing"] * 6
    sample = list(range(22))
    report = sampled_shares(sample, dict(enumerate(values)), ("sufficient", "partial", "missing"))
    assert {name: one["share"] for name, one in report["labels"].items()} == {
        "sufficient": 0.5, "partial": 0.2, "missing": 0.3,
    }  # fmt: skip
    assert (report["sample"], report["unlabelled"]) == (22, 2)
    for one in report["labels"].values():
        n, of = one["n"], one["of"]
        exact = [beta.ppf(0.025, n, of - n + 1), beta.ppf(0.975, n + 1, of - n)]
        assert one["share_ci"] == pytest.approx(exact)


def test_a_sample_without_labels_is_undefined():
    report = sampled_shares([("s", 1)], {}, ("sufficient",))
    assert report["labels"]["sufficient"] == {"n": 0, "of": 0, "share": None, "share_ci": None}
    assert report["undefined"]["labels.sufficient.share"] == NOT_LABELLED
    assert sampled_shares([], {("s", 1): "partial"})["labels"] == {}
