import numpy as np
import pytest

from agreement.arrays.rating_arrays import collect
from agreement.arrays.tally import tally
from agreement.intervals.interval_coverage import items_with_other_answers
from agreement.question_figures.question_report import describe


def rated(rare_items, items=20, raters=3):
    """A report of yes/no answers of which those of `rare_items` items, by the first rater alone, are yes."""
    rows = [
        (item, "a", f"r{rater}", float(item < rare_items and rater == 0))
        for item in range(items)
        for rater in range(raters)
    ]
    ratings = collect(*zip(*rows, strict=True))
    return describe(ratings, level="nominal", scale=(0, 1), replicates=200)


@pytest.mark.parametrize(("rare", "percent"), [(1, 30), (2, 30), (3, 83), (5, 83), (6, None), (14, None)])
def test_alpha_of_few_items_with_rarer_answers_says_how_often_its_interval_holds(rare, percent):
    report = rated(rare)
    assert report["items_with_other_answers"] == rare
    said = report.get("alpha_notice", "")
    assert (f"in {percent} % of simulated studies" in said) if percent else not said
    assert said.startswith(f"Only {rare} item") or not percent


def test_of_two_answers_the_one_on_fewer_items_counts():
    unit, value = np.repeat(np.arange(6), 2), np.array([1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 1.0])
    counted = tally(unit, value)
    assert items_with_other_answers(counted, np.arange(6)) == 2
    assert items_with_other_answers(tally(np.arange(3), np.ones(3)), np.arange(3)) == 0  # nothing was rated twice


def test_without_an_interval_there_is_no_notice():
    assert "alpha_notice" not in rated(0)
