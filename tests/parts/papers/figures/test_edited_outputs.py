"""Initial against edited outputs: the source study's shares, a second computation, and what is left out."""

import numpy as np
import pytest

from agreement.meta_evaluation.output_answers import Outputs
from parts.papers.figures.edited_outputs import NO_PAIR, edited_report
from tests.agreement.random_answers import random_outputs


def two_versions(items):
    length = np.tile([20.0, 16.0], items)
    outputs = Outputs(np.repeat(np.arange(items), 2), np.tile([0, 1], items), length, ("edited", "initial"), items)
    return outputs, np.arange(items * 2).reshape(-1, 2)[:, ::-1].copy()


def test_the_shares_of_the_source_study_come_out():
    """InstruSum prints 0.45 ties, 0.30 for the initial and 0.25 for the hybrid summary of 100."""
    outputs, pairs = two_versions(100)
    scores = np.full((100, 2), 3.0)  # edited, initial
    identical = np.arange(100) < 30
    scores[:30, 0] = 4.0  # people scored identical texts differently
    scores[45:75, 1] = 10 / 3
    scores[75:, 0] = 11 / 3
    report = edited_report(scores.ravel(), pairs, identical, outputs, replicates=200)
    assert (report["tie"], report["initial"], report["edited"]) == pytest.approx((0.45, 0.30, 0.25))
    assert (report["pairs"], report["identical"], report["left_out"]) == (100, 30, 0)
    assert report["edited_minus_initial"] == pytest.approx(-0.05)
    low, high = report["edited_minus_initial_ci"]
    assert low < -0.05 < high
    assert (report["initial_words"], report["edited_words"]) == (16, 20)
    assert report["undefined"] == {}


def test_shares_are_those_counted_one_by_one():
    rng = np.random.default_rng(12)
    outputs = random_outputs(rng, items=30, missing=0.2)
    scores = rng.integers(1, 4, outputs.size).astype(float)
    scores[rng.random(outputs.size) < 0.2] = np.nan
    place = {key: code for code, key in enumerate(zip(outputs.item.tolist(), outputs.system.tolist(), strict=True))}
    rows = [(place[item, 1], code) for (item, system), code in place.items() if system == 0 and (item, 1) in place]
    identical = rng.random(len(rows)) < 0.3
    found = edited_report(scores, np.array(rows), identical, outputs, replicates=0)
    expected = []
    for (one, other), same in zip(rows, identical, strict=True):
        if same:
            expected.append("tie")
        elif not np.isnan(scores[[one, other]]).any():
            initial, edited = scores[one], scores[other]
            expected.append("tie" if initial == edited else "initial" if initial > edited else "edited")
    assert found["pairs"] == len(expected)
    assert found["left_out"] == len(rows) - len(expected) > 0
    for name in ("initial", "tie", "edited"):
        assert found[name] == pytest.approx(expected.count(name) / len(expected))


def test_nothing_to_compare_is_undefined_and_wrong_pairs_are_refused():
    outputs, pairs = two_versions(2)
    report = edited_report(np.full(4, np.nan), pairs, np.zeros(2, dtype=bool), outputs)
    assert (report["tie"], report["left_out"]) == (None, 2)
    assert report["undefined"]["tie"] == report["undefined"]["edited_words"] == NO_PAIR
    with pytest.raises(ValueError, match="same item"):
        edited_report(np.zeros(4), np.array([[0, 3]]), np.zeros(1, dtype=bool), outputs)
    with pytest.raises(ValueError, match="two outputs each"):
        edited_report(np.zeros(4), pairs, np.zeros(1, dtype=bool), outputs)
