"""Outputs are damaged in every script."""

from random import Random

import pytest

from parts.checks.damaging import damaged

pytestmark = pytest.mark.quick
CHINESE = "今天天气很好\uff0c我们坐船去岛上。"
SENTENCES = "今天天气很好。我们坐船去岛上\uff01你去不去\uff1f"


def damage(text, kind):
    found = damaged(text, [], [kind], Random(7))
    return found and found[1]


@pytest.mark.parametrize("kind", ["cut", "shuffle"])
@pytest.mark.parametrize("text", [CHINESE, SENTENCES])
def test_a_text_without_spaces_is_damaged_and_gets_none(kind, text):
    """Between spaces it was one word, which can be neither cut nor moved: no twin was made of it."""
    changed = damage(text, kind)
    assert changed not in (None, text)
    assert " " not in changed
    assert set(changed) <= set(text)


def test_whole_sentences_change_places():
    assert sorted(damage(SENTENCES, "shuffle")) == sorted(SENTENCES)
    assert "今天天气很好。" in damage(SENTENCES, "shuffle")


def test_a_cut_leaves_the_first_words():
    assert CHINESE.startswith(damage(CHINESE, "cut"))
    assert len(damage(CHINESE, "cut")) <= len(CHINESE) / 2


def test_texts_with_spaces_keep_one_between_two_words():
    assert damage("One two  three four", "cut") in ("One", "One two")
    assert sorted(damage("One two three four", "shuffle").split(" ")) == ["One", "four", "three", "two"]
