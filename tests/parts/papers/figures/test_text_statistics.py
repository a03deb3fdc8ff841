"""Lengths of texts by group: a second way to compute them, the source study's layout, and edge cases."""

import math
import statistics

import numpy as np
import pytest

from agreement.text_lengths import tokens
from parts.papers.figures.text_statistics import NO_TEXT, ONE_TEXT, text_statistics

pytestmark = pytest.mark.quick


def test_figures_are_those_of_the_standard_library():
    rng = np.random.default_rng(3)
    group, words = rng.integers(0, 3, 80), rng.integers(100, 500, 80).astype(float)
    sentences = rng.integers(1, 30, 80).astype(float)
    report = text_statistics(group, words, ("aeslc", "arxiv", "bbc"), sentences=sentences)
    for code, name in enumerate(("aeslc", "arxiv", "bbc")):
        for key, count in (("words", words), ("sentences", sentences)):
            own = [value for value, of in zip(count, group, strict=True) if of == code]
            expected = {
                "n": len(own), "min": min(own), "median": statistics.median(own), "mean": statistics.fmean(own),
                "mean_se": statistics.stdev(own) / math.sqrt(len(own)), "max": max(own),
            }  # fmt: skip
            assert report["groups"][name][key] == pytest.approx(expected)
    assert report["all"]["words"]["mean"] == pytest.approx(statistics.fmean(words))
    assert report["all"]["texts"] == 80
    assert report["undefined"] == {}


def test_medians_may_lie_between_two_texts():
    texts = ["one two three", "one two", "one two three four", "one"]
    words = np.array([len(tokens(text)) for text in texts], dtype=float)
    found = text_statistics(np.zeros(4, dtype=int), words, ("all of them",))["groups"]["all of them"]
    assert (found["words"]["min"], found["words"]["median"], found["words"]["max"]) == (1, 2.5, 4)
    assert "sentences" not in found


def test_an_undefined_figure_says_why():
    report = text_statistics(np.array([0, 1, 1]), np.array([5.0, np.nan, np.nan]), ("a", "b", "c"))
    assert report["groups"]["a"]["words"] == {"n": 1, "min": 5, "median": 5, "mean": 5, "max": 5, "mean_se": None}
    assert report["groups"]["b"] == {
        "texts": 2, "words": {"n": 0, "min": None, "median": None, "mean": None, "max": None, "mean_se": None},
    }  # fmt: skip
    assert report["undefined"]["groups.a.words.mean_se"] == ONE_TEXT
    assert report["undefined"]["groups.b.words.mean"] == NO_TEXT
    assert report["undefined"]["groups.c.words.max"] == NO_TEXT


def test_wrong_shapes_and_groups_are_refused():
    with pytest.raises(ValueError, match="one entry per text"):
        text_statistics(np.array([0]), np.array([1.0, 2.0]), ("a",))
    with pytest.raises(ValueError, match="out of range"):
        text_statistics(np.array([1]), np.array([1.0]), ("a",))
