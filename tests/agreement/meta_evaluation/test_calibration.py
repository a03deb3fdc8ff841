import numpy as np
import pytest

from agreement.meta_evaluation.calibration import NO_PROBABILITY, calibration


def drawn(seed, items=200, people=3, bend=1.0):
    """Probabilities p of the judge where people say yes with probability p ** bend; two outputs per item."""
    rng = np.random.default_rng(seed)
    p = rng.random(2 * items)
    share = rng.binomial(people, p**bend) / people
    return p[:, None], share[:, None], np.repeat(np.arange(items), 2)


def by_hand(p, y, bins):
    """Expected calibration error over bins of equal numbers, for probabilities without ties."""
    groups = np.array_split(np.argsort(p), bins)
    return sum(len(group) / len(p) * abs(p[group].mean() - y[group].mean()) for group in groups)


def test_error_and_brier_score_are_those_of_the_definition():
    p, y, item = drawn(1, bend=2)
    found = calibration(p, y, item, replicates=10)
    assert found.error.value == pytest.approx(by_hand(p[:, 0], y[:, 0], 10))
    assert [one.n for one in found.bins] == [40] * 10
    answers = [(chance, said) for chance, share in zip(p[:, 0], y[:, 0], strict=True) for said in said_by(share)]
    assert found.brier.value == pytest.approx(np.mean([(chance - said) ** 2 for chance, said in answers]))
    assert found.brier_of_people.value == pytest.approx((y * (1 - y)).mean())
    assert found.outputs == 400


def said_by(share):
    yes = round(share * 3)
    return [1] * yes + [0] * (3 - yes)


def test_the_diagram_has_each_bins_means():
    p, y = np.array([0.1, 0.1, 0.1, 0.4, 0.9, 0.9]), np.array([0.0, 0.5, 0.1, 0.5, 1.0, 0.8])
    first, last = calibration(p[:, None], y[:, None], np.arange(6), bins=2, replicates=200).bins
    assert (first.low, first.high, first.n) == (0.1, 0.1, 3)
    assert (first.probability, first.share) == pytest.approx((0.1, 0.2))
    assert (last.low, last.high, last.n) == (0.4, 0.9, 3)
    assert last.share == pytest.approx(2.3 / 3)
    assert first.interval[0] < 0.2 < first.interval[1]


def test_steps_of_a_scale_count_one_by_one():
    p = np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]])
    y = np.array([[0.0, 1, 0], [0.5, 0, 0.5]])
    found = calibration(p, y, np.arange(2), bins=2, replicates=0)
    assert found.brier.value == pytest.approx(
        np.mean([0.04 + 0.25 + 0.09, 0.5 * (0.16 + 0.01 + 0.09) + 0.5 * (0.36 + 0.01 + 0.49)])
    )
    assert sum(one.n for one in found.bins) == 6
    assert found.error.interval is None


@pytest.mark.thorough
def test_intervals_of_the_error_cover_it():
    p, y, item = drawn(0, items=100_000, people=1, bend=2)
    truth = calibration(p, y, item, replicates=0).error.value
    inside, brier_inside, times = 0, 0, 150
    brier = np.mean((p - y) ** 2)
    for seed in range(1, times + 1):
        found = calibration(*drawn(seed, people=1, bend=2), replicates=200)
        inside += found.error.interval[0] <= truth <= found.error.interval[1]
        brier_inside += found.brier.interval[0] <= brier <= found.brier.interval[1]
    assert 0.89 <= inside / times <= 0.99
    assert 0.89 <= brier_inside / times <= 0.99


def test_a_calibrated_judge_has_the_error_of_chance():
    found = [calibration(*drawn(seed), replicates=200) for seed in range(60)]
    assert np.mean([one.error.value for one in found]) == pytest.approx(
        np.mean([one.by_chance for one in found]), rel=0.1
    )
    assert np.mean([one.error.interval[0] <= 0.005 for one in found]) > 0.9
    bent = calibration(*drawn(1, bend=3), replicates=200)
    assert bent.error.interval[0] > 3 * bent.by_chance


def test_rows_without_both_are_left_out_and_wrong_numbers_refused():
    p, y, item = drawn(1)
    p[:10], y[10:20] = np.nan, np.nan
    assert calibration(p, y, item, replicates=0).outputs == 380
    nothing = calibration(p[:10], y[:10], item[:10])
    assert (nothing.error.value, nothing.error.reason, nothing.bins) == (None, NO_PROBABILITY, ())
    with pytest.raises(ValueError, match="between 0 and 1"):
        calibration(p * 2, y, item)
    with pytest.raises(ValueError, match="column per answer"):
        calibration(p, y[:5], item)
