import numpy as np
import pytest

from agreement.answers.answer_distributions import BINS, NO_ANSWERS, TOO_MANY_VALUES, distribution, outcome_distribution

pytestmark = pytest.mark.quick


def counted(values, systems, steps=(), scale=None, names=("a", "b")):
    return distribution(np.array(values, dtype=float), np.array(systems, dtype=np.int64), names, steps, scale)


def test_every_step_of_the_scale_has_a_count_and_other_answers_have_their_own():
    found = counted([1, 3, 3, 7, 2], [0, 0, 1, 1, -1], steps=(1, 2, 3), scale=(1, 3))
    assert [one["low"] for one in found["bins"]] == [1, 2, 3, 7]
    assert found["all"] == [1, 1, 2, 1]
    assert found["systems"] == {"a": [1, 0, 1, 0], "b": [0, 0, 1, 1]}


def test_many_values_are_put_into_ten_parts_with_the_ends_of_the_scale_included():
    values = [*np.linspace(0, 100, 101), -3, 104]
    found = counted(values, [0] * 103, scale=(0, 100))
    assert len(found["bins"]) == BINS + 2
    assert found["all"] == [1, *[10] * 9, 11, 1]
    assert (found["bins"][0], found["bins"][-1]) == ({"low": -3.0, "high": 0.0}, {"low": 100.0, "high": 104.0})
    assert sum(found["all"]) == len(values) == sum(found["systems"]["a"])


def test_too_many_values_without_a_scale_and_no_values_say_so():
    assert counted(range(40), [0] * 40)["undefined"] == TOO_MANY_VALUES
    assert counted([], [])["undefined"] == NO_ANSWERS


def test_each_judgment_counts_for_both_systems(choices_of):
    found = outcome_distribution(choices_of([("i", "a", "b", "r", "b"), ("j", "b", "a", "r", None)]))
    assert found["systems"] == {"a": [0, 1, 1], "b": [1, 1, 0]}
