import numpy as np
import pytest
from scipy.stats import wilcoxon

from agreement.comparisons.signed_ranks import signed_rank_p


def drawn(rng, count, width, kind):
    """One row of `count` differences, tied or not, with or without 0, and 0 up to `width`."""
    values = rng.normal(0.2, 1, count) if kind == "untied" else rng.integers(-2, 4, count).astype(float)
    values[0] = 1.0
    row = np.zeros(width)
    row[rng.permutation(width)[:count]] = values
    return row, values


@pytest.mark.parametrize("counts", [range(1, 14), range(14, 51, 4), range(49, 55), (2, 13, 14, 50, 51, 300)])
def test_rows_of_all_sizes_have_the_p_values_of_scipy_for_each_by_itself(counts):
    rng = np.random.default_rng(len(counts))
    made = [drawn(rng, count, max(counts), kind) for count in counts for kind in ("untied", "tied")]
    found = signed_rank_p(np.array([row for row, _ in made]), np.array([values.size for _, values in made]))
    assert found == pytest.approx([wilcoxon(values).pvalue for _, values in made], rel=1e-9)


def test_one_difference_has_a_p_value_of_one():
    assert signed_rank_p(np.array([[0.0, 3.0, 0.0]]), np.array([1])) == pytest.approx([1.0])
