"""Means of similarity and length over the items of two systems."""

import numpy as np
import pytest

from parts.papers.figures.output_similarity import UNKNOWN_FOR_ALL, similarity_report


def test_means_are_those_of_the_known_values_and_intervals_hold_them():
    rng = np.random.default_rng(1)
    values = {name: rng.random(40) for name in ("rouge_1", "rouge_2", "first_words", "second_words")}
    values["rouge_2"][:10] = np.nan
    shares = np.eye(3)[rng.integers(0, 3, 40)]
    shares[0] = np.nan
    report = similarity_report(values, shares=shares, replicates=200)
    for name, column in values.items():
        assert report[name] == pytest.approx(np.nanmean(column))
        assert report[f"{name}_ci"][0] < report[name] < report[f"{name}_ci"][1]
    assert report["n"]["rouge_2"] == 30
    assert report["n"]["win_rate"] == 39
    assert report["win_rate"] + report["tie_rate"] + report["loss_rate"] == pytest.approx(1)
    assert report["win_rate"] == pytest.approx(np.nanmean(shares[:, 0]))


def test_unknown_values_and_wrong_shapes():
    report = similarity_report({"rouge_1": np.array([np.nan, np.nan])}, replicates=10)
    assert report["rouge_1"] is None
    assert report["undefined"]["rouge_1"] == UNKNOWN_FOR_ALL
    with pytest.raises(ValueError, match="one entry per item"):
        similarity_report({"rouge_1": np.zeros(2), "rouge_2": np.zeros(3)})
    with pytest.raises(ValueError, match="must be values"):
        similarity_report({})
