"""Words of texts, and the edit distance between two texts."""

import random

import pytest

from agreement.text_lengths import count_words, edit_distance, token_places, tokens


def by_table(source, target):
    """Levenshtein's distance by its definition, with the full table."""
    row = list(range(len(target) + 1))
    for number, one in enumerate(source, 1):
        above, row = row, [number]
        for place, other in enumerate(target, 1):
            row.append(min(above[place] + 1, row[-1] + 1, above[place - 1] + (one != other)))
    return row[-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One  two,\nthree [0].", ["One", "two,", "three", "[0]."]),
        ("", []),
        (" \t\n", []),
        ("\u4eca\u5929 is today\u3002", ["\u4eca", "\u5929", "is", "today\u3002"]),
        ("今天\uff0c我们去。", ["今", "天\uff0c", "我", "们", "去。"]),
        ("\uff08今天\uff09…", ["\uff08今", "天\uff09…"]),
        ("ที่นี่ดี", ["ที่", "นี่", "ดี"]),
        ("3月 x_y 。", ["3", "月", "x_y", "。"]),
        ("\u0645\u0631\u062d\u0628\u0627 \u0628\u0643", ["\u0645\u0631\u062d\u0628\u0627", "\u0628\u0643"]),
    ],
)
def test_words_are_separated_by_spaces_or_single_characters(text, expected):
    assert tokens(text) == expected
    assert count_words(text) == len(expected)
    assert [text[start:end] for start, end in token_places(text)] == expected


def test_in_scripts_with_spaces_words_are_those_between_spaces_as_published_figures_count_them():
    text = "Well-known \u2013 and “quoted” \u2013 words,\n\nétude by étude: 2,300.5 كتاب جديد."
    assert tokens(text) == text.split()


@pytest.mark.parametrize(
    ("source", "target", "distance"),
    [
        ("kitten", "sitting", 3),
        ("saturday", "sunday", 3),
        ("intention", "execution", 5),
        ("", "abc", 3),
        ("abc", "", 3),
        ("abc", "abc", 0),
        ("abc", "xaby", 2),
        ("aaaa", "aa", 2),
    ],
)
def test_the_edit_distance_matches_published_cases(source, target, distance):
    assert edit_distance(source, target) == edit_distance(target, source) == distance


def test_the_edit_distance_equals_the_full_table():
    drawn = random.Random(3)
    for size in [drawn.randrange(150) for _ in range(150)]:
        source = [drawn.choice("abcdef") for _ in range(size)]
        target = [drawn.choice("abcdefg") for _ in range(drawn.randrange(150))]
        if drawn.random() < 0.5:
            target = [token for token in source if drawn.random() < 0.9] + target[:3]
        assert edit_distance(source, target) == by_table(source, target)


def test_whole_tokens_are_compared():
    assert edit_distance(tokens("judges agree with people [0]."), tokens("judges agree with people [1].")) == 1
