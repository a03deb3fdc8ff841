from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.comparisons.letter_display import letter_display


def pairs(*texts):
    return {frozenset(text) for text in texts}


def test_systems_that_do_not_differ_share_a_letter():
    # a differs from c and d, b from d: {a, b}, {b, c}, {c, d}
    assert letter_display("abcd", pairs("ac", "ad", "bd")) == {"a": "a", "b": "ab", "c": "bc", "d": "c"}


def test_all_alike_and_all_different():
    assert letter_display("abc", set()) == {"a": "a", "b": "a", "c": "a"}
    assert letter_display("abc", pairs("ab", "bc", "ac")) == {"a": "a", "b": "b", "c": "c"}
    assert letter_display("", set()) == {}


def test_a_middle_system_that_differs_from_nobody_has_both_letters():
    assert letter_display("abc", pairs("ac")) == {"a": "a", "b": "ab", "c": "b"}


@given(st.integers(1, 9), st.data())
def test_two_systems_share_a_letter_exactly_if_they_do_not_differ(size, data):
    names = [f"s{number}" for number in range(size)]
    everything = [frozenset(pair) for pair in combinations(names, 2)]
    different = data.draw(st.sets(st.sampled_from(everything))) if everything else set()
    letters = letter_display(names, different)
    assert all(letters.values())
    assert letters[names[0]].startswith("a")
    for one, other in combinations(names, 2):
        assert bool(set(letters[one]) & set(letters[other])) == (frozenset((one, other)) not in different)


def test_after_z_come_pairs_of_letters_and_there_is_an_end():
    names = [f"s{number}" for number in range(60)]
    all_differ = {frozenset(pair) for pair in combinations(names[:28], 2)}
    found = letter_display(names[:28], all_differ)
    assert (found["s25"], found["s26"], found["s27"]) == ("z", "(aa)", "(ab)")
    assert letter_display(names, {frozenset(pair) for pair in combinations(names, 2)}) is None


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match="unknown name"):
        letter_display("ab", pairs("ax"))
