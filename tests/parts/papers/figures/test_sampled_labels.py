"""The shares of labels in a sample of turns, with exact intervals."""

import pytest
from scipy.stats import beta

from parts.papers.figures.sampled_labels import NOT_LABELLED, sampled_shares

pytestmark = pytest.mark.quick


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
