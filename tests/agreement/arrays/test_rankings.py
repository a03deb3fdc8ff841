import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.arrays.pair_choices import FIRST, SECOND, TIE, UNKNOWN
from agreement.arrays.rankings import Rankings, collect_rankings

ranks = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 7), min_size=1)


@given(st.lists(ranks, min_size=1, max_size=5))
def test_scores_and_pairs_equal_their_definitions(given_ranks):
    rankings = collect_rankings(range(len(given_ranks)), ["r"] * len(given_ranks), given_ranks)
    entries = [(row, name) for row, own in enumerate(given_ranks) for name in sorted(own)]
    scores = []
    for row, name in entries:
        own = given_ranks[row]
        scores.append(len(own) - sum(rank < own[name] for rank in own.values()))
    assert rankings.scores().tolist() == scores
    choices = rankings.choices()
    judged = {
        (int(choices.item[p]), choices.systems[choices.first[p]], choices.systems[choices.second[p]]): int(c)
        for p, c in zip(choices.pair, choices.choice, strict=True)
    }
    expected = {
        (row, a, b): FIRST if own[a] < own[b] else SECOND if own[a] > own[b] else TIE
        for row, own in enumerate(given_ranks)
        for a in own
        for b in own
        if a < b
    }
    assert judged == expected


def test_gaps_and_ties_do_not_move_the_score(rankings_of):
    rankings = rankings_of([("i", "r", {"a": 1, "b": 4, "c": 4, "d": 9}), ("i", "s", {"a": 1, "b": 2, "c": 2, "d": 3})])
    assert rankings.scores().tolist() == [4, 3, 3, 1] * 2


def test_pairs_have_the_order_and_the_lengths_of_outputs(rankings_of):
    rankings = rankings_of([("i", "r", {"b": 1, "a": 2})], {("i", "a"): 10, ("i", "b"): 7})
    choices = rankings.choices()
    assert (choices.shown_first.tolist(), choices.length.tolist()) == ([SECOND], [[10, 7]])
    assert collect_rankings(["i"], ["r"], [{"a": 1, "b": 1}]).choices().shown_first.tolist() == [UNKNOWN]


def test_latest_is_by_item_rater_and_what_is_ranked(rankings_of):
    rows = [("i", "r", "a"), ("i", "s", "a"), ("j", "r", "a"), ("i", "r", "a"), ("i", "r", "b")]
    rankings = rankings_of([(item, rater, {output: 1}) for item, rater, output in rows])
    assert rankings.latest(np.array([0, 0, 0, 0, 1])).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("rank", [0, 1.0, True, "1", None])
def test_a_rank_must_be_a_whole_number_of_1_or_more(rank):
    with pytest.raises(ValueError, match="rank"):
        collect_rankings(["i"], ["r"], [{"a": rank}])


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="length"):
        collect_rankings(["i"], ["r"], [])


@pytest.mark.parametrize(
    "change",
    [
        {"system": [0, 0]},
        {"system": [1, 0]},
        {"ranking": [0, 1]},
        {"rank": [1, 0]},
        {"rank": [1.0, 2.0]},
        {"rater": [1]},
        {"rater": [0, 0]},
        {"length": [1.0]},
    ],
)
def test_codes_shapes_and_orders_that_are_wrong_are_refused(change):
    entries = {"ranking": [0, 0], "system": [0, 1], "rank": [1, 2], "position": [0, 1], "length": [1.0, 2.0]}
    arrays = {name: np.array(value) for name, value in {"item": [0], "rater": [0], **entries, **change}.items()}
    with pytest.raises(ValueError, match=r"must|out of range|whole number"):
        Rankings(**arrays, raters=("r",), systems=("a", "b"))
