import numpy as np
import pytest

from agreement.arrays.pair_choices import FIRST, SECOND, TIE, UNKNOWN, PairChoices, collect_choices

pytestmark = pytest.mark.quick


def test_a_choice_is_coded_within_its_pair_sorted_by_code_point(choices_of):
    rows = [("i", "b", "a", "r", "b"), ("i", "a", "b", "s", "b"), ("i", "b", "Z", "r", "Z"), ("i", "b", "a", "t", None)]
    choices = choices_of(rows)
    assert choices.systems == ("Z", "a", "b")
    assert choices.pair.tolist() == [0, 0, 1, 0]
    assert choices.choice.tolist() == [SECOND, SECOND, FIRST, TIE]
    assert choices.shown_first.tolist() == [SECOND, FIRST, SECOND, SECOND]
    assert (choices.first.tolist(), choices.second.tolist()) == ([1, 0], [2, 2])


def test_the_order_on_the_page_may_be_unknown():
    assert collect_choices(["i"], [("a", "b")], ["r"], [None]).shown_first.tolist() == [UNKNOWN]


def test_points_are_averaged_over_the_judgments_of_an_output(choices_of):
    rows = [("i", "a", "b", "r", "a"), ("i", "a", "c", "r", None), ("i", "b", "a", "s", "a"), ("j", "a", "b", "r", "b")]
    item, system, points = choices_of(rows).points()
    figures = {(i, "abc"[s]): p for i, s, p in zip(item.tolist(), system.tolist(), points.tolist(), strict=True)}
    assert figures == pytest.approx({(0, "a"): 2.5 / 3, (0, "b"): 0, (0, "c"): 0.5, (1, "a"): 0, (1, "b"): 1})


@pytest.mark.parametrize(
    "columns",
    [
        (["i"], [("a", "b")], ["r"], ["c"]),
        (["i"], [("a", "b")], ["r"], [None], ["c"]),
        (["i", "j"], [("a", "b")], ["r"], [None]),
        (["i"], [("a", "a")], ["r"], [None]),
    ],
)
def test_columns_that_are_not_choices_are_refused(columns):
    with pytest.raises(ValueError, match=r"pair|columns"):
        collect_choices(*columns)


@pytest.mark.parametrize(
    "change",
    [
        {"pair": [5]},
        {"choice": [3]},
        {"shown_first": [2]},
        {"first": [1]},
        {"rater": [-1]},
        {"rater": [0, 0]},
        {"item": [0, 0]},
        {"length": [[1.0]]},
    ],
)
def test_codes_and_shapes_out_of_range_are_refused(change):
    given = {"pair": [0], "rater": [0], "choice": [0], "shown_first": [0], "item": [0], "first": [0], "second": [1]}
    arrays = {name: np.array(value) for name, value in {**given, "length": [[1.0, 2.0]], **change}.items()}
    with pytest.raises(ValueError, match=r"must|neither|out of range"):
        PairChoices(**arrays, raters=("r",), systems=("a", "b"))
