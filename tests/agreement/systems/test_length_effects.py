import numpy as np
import pytest
from scipy.stats import pearsonr

from agreement.arrays.scored_outputs import ScoresOfOutputs
from agreement.systems.length_effects import NO_VARIATION, NO_WORDS, length_effects

pytestmark = pytest.mark.quick


def scores_of(rows):
    """Scores from rows (item, score, words), each of a system of its own within its item."""
    item, score, words = (np.array(column) for column in zip(*rows, strict=True))
    system = np.array([int((item[:place] == one).sum()) for place, one in enumerate(item)])
    names = tuple(f"s{number}" for number in range(system.max() + 1))
    return ScoresOfOutputs(item, system, score.astype(float), words.astype(float), names, int(item.max()) + 1)


def test_the_correlation_is_within_items():
    # longer is better within each item, though the long item has the lower scores
    rows = [(0, 4, 10), (0, 5, 20), (1, 1, 110), (1, 2, 120)]
    assert length_effects(scores_of(rows), 50)["r"] == pytest.approx(1.0)


def test_the_correlation_is_pearsons_of_the_deviations():
    rng = np.random.default_rng(0)
    rows = [(item, rng.integers(1, 6), rng.integers(5, 90)) for item in range(20) for _ in range(4)]
    table = np.array(rows, dtype=float).reshape(20, 4, 3)
    deviations = table[:, :, 1:] - table[:, :, 1:].mean(axis=1, keepdims=True)
    found = length_effects(scores_of(rows), 200)
    assert found["r"] == pytest.approx(pearsonr(deviations[:, :, 0].ravel(), deviations[:, :, 1].ravel())[0])
    assert found["r_ci"][0] <= found["r"] <= found["r_ci"][1]


def test_quarters_of_the_outputs_have_means():
    rows = [(number, number % 3, number + 1) for number in range(8)]
    groups = length_effects(scores_of(rows), 50)["groups"]
    assert [(one["low"], one["high"], one["n"]) for one in groups] == [(1, 2, 2), (3, 4, 2), (5, 6, 2), (7, 8, 2)]
    assert [one["mean"] for one in groups] == [0.5, 1.0, 1.5, 0.5]


def test_no_texts_and_no_variation_within_items_say_so():
    assert length_effects(scores_of([(0, 1, np.nan)]))["undefined"]["r"] == NO_WORDS
    one_output_each = length_effects(scores_of([(0, 1, 5), (1, 2, 9)]), 10)
    assert (one_output_each["r"], one_output_each["undefined"]["r"]) == (None, NO_VARIATION)
