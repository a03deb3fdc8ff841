import pytest
from django.core.cache import caches

from sessions.comparing import answer_comparison
from sessions.comparing.answer_comparison import CACHE, compare_answers
from sessions.comparing.word_diff import word_diff


@pytest.fixture
def comparisons(monkeypatch):
    """The pairs of texts that were compared, with nothing remembered from before."""
    caches[CACHE].clear()
    made = []
    monkeypatch.setattr(answer_comparison, "word_diff", lambda *pair: made.append(pair) or word_diff(*pair))
    yield made
    caches[CACHE].clear()


def test_two_answers_are_compared_once(comparisons):
    first = compare_answers("It sails at nine.", "It sails at ten.")
    assert compare_answers("It sails at nine.", "It sails at ten.") == first
    assert comparisons == [("It sails at nine.", "It sails at ten.")]


def test_each_pair_has_its_own_differences(comparisons):
    assert compare_answers("a", "b") != compare_answers("b", "a")
    assert compare_answers("a b", "c") != compare_answers("a", "b c")
    assert len(comparisons) == 4
