"""Free text, with a least and a greatest number of words."""

import pytest

from annotation.questions import ValueInvalidError, question_types

TEXT = question_types()["text"]


@pytest.mark.parametrize("value", ["One two three", "九点是对的。", "ดีมาก"])
def test_words_are_counted_in_every_script(value):
    """Between spaces this Chinese sentence and these Thai words were one word each."""
    assert TEXT.check(value, {"min_words": 3}) == value


@pytest.mark.parametrize("value", ["One two", "九点", "ดีม"])
def test_too_few_words_are_refused_in_every_script(value):
    with pytest.raises(ValueInvalidError, match="needs at least 3 words; it has 2"):
        TEXT.check(value, {"min_words": 3})


def test_too_many_are_too():
    with pytest.raises(ValueInvalidError, match="at most 3 words; it has 5"):
        TEXT.check("九点是对的。", {"max_words": 3})
