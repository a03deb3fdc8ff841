import numpy as np
import pytest

from agreement.arrays.rating_arrays import NO_SYSTEM, Ratings, collect

pytestmark = pytest.mark.quick


def test_columns_become_codes_with_names_in_order():
    ratings = collect(["i", "i", "j"], ["b", "a", "b"], ["zoe", "amy", "amy"], [1, 0, 1])
    assert ratings.raters == ("amy", "zoe")
    assert ratings.systems == ("a", "b")
    assert ratings.rater.tolist() == [1, 0, 0]
    assert ratings.unit.tolist() == [0, 1, 2]
    assert ratings.item.tolist() == [0, 0, 1]
    assert ratings.system.tolist() == [1, 0, 1]


def test_an_answer_about_a_task_has_no_system():
    ratings = collect(["i", "i"], [None, None], ["r", "s"], [1, 2])
    assert ratings.unit.tolist() == [0, 0]
    assert ratings.system.tolist() == [NO_SYSTEM]


def test_the_latest_repeat_is_kept_in_order(ratings_of):
    ratings = ratings_of([("i", "a", "r", 1), ("i", "a", "s", 2), ("i", "b", "r", 3), ("i", "a", "r", 4)])
    latest = ratings.latest()
    assert latest.value.tolist() == [2, 3, 4]
    assert latest.rater.tolist() == [1, 0, 0]
    assert latest.unit.tolist() == [0, 1, 0]


def test_without_repeats_nothing_is_left_out(ratings_of):
    ratings = ratings_of({("i", "a"): {"r": 1, "s": 1}, ("j", "a"): {"r": 1}})
    assert ratings.latest() is ratings


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_value_that_is_not_finite_is_refused(value):
    with pytest.raises(ValueError, match="finite"):
        collect(["i"], ["a"], ["r"], [value])


def test_columns_of_different_length_are_refused():
    with pytest.raises(ValueError, match="length"):
        collect(["i"], ["a"], ["r", "s"], [1])


def test_a_value_that_is_not_a_category_is_refused():
    with pytest.raises(ValueError, match="category"):
        collect(["i"], ["a"], ["r"], [2], categories=["x", "y"])


@pytest.mark.parametrize(
    ("field", "codes"), [("unit", [0, 2]), ("rater", [0, -1]), ("item", [-1, 0]), ("system", [0, 1])]
)
def test_a_code_out_of_range_is_refused_by_name(field, codes):
    fields = {"unit": [0, 1], "rater": [0, 0], "item": [0, 0], "system": [0, 0]}
    arrays = {name: np.array(values) for name, values in {**fields, field: codes}.items()}
    with pytest.raises(ValueError, match=f"a {field} code"):
        Ratings(**arrays, value=np.zeros(2), raters=("r",), systems=("a",))


def test_codes_that_are_not_integers_are_refused():
    zero = np.zeros(1, dtype=np.int64)
    with pytest.raises(ValueError, match="unit codes"):
        Ratings(np.zeros(1), zero, np.zeros(1), zero, zero, ("r",), ("a",))


def test_arrays_of_different_length_are_refused():
    zero = np.zeros(1, dtype=np.int64)
    with pytest.raises(ValueError, match="one length"):
        Ratings(zero, zero, np.zeros(2), zero, zero, ("r",), ("a",))
    with pytest.raises(ValueError, match="one length"):
        Ratings(zero, zero, np.zeros(1), zero, np.zeros(2, dtype=np.int64), ("r",), ("a",))
