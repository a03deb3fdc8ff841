"""Strict reading: what is not exactly one answer is invalid."""

import pytest

from judges.protocol import ReplyInvalidError
from judges.reply_parsing import number_in_form, reasoned_number


@pytest.mark.parametrize(
    "reply", ["4", "**4**", "`4`", "Rating: 4", "**Rating: 4**", "Rating: **4**", "**Rating:** 4.", "_Rating_: 4"]
)
def test_marks_of_emphasis_do_not_hide_a_number(reply):
    assert number_in_form(reply, "Rating", 1, 5) == 4


@pytest.mark.parametrize(
    "reply", ["It is brief. Rating: 4", "It is brief.\n**Rating: 4**", "It is brief.\n\nRating: 4."]
)
def test_a_rating_follows_its_rationale(reply):
    assert reasoned_number(reply, "Rating", 1, 5) == ("It is brief.", 4)


@pytest.mark.parametrize(
    "reply",
    [
        "The output does not deserve a rating: 4", "I would not say Rating: 4", "My rating: 4", "Brief. Rating: 04",
        "It is brief. Rating: 4\nRating: 3", "A rating: 4 would be kind.\nRating: 3", "Rating: 4",
        "Brief. Rating: four",
    ],
)  # fmt: skip
def test_a_rating_inside_a_sentence_or_a_second_one_is_invalid(reply):
    with pytest.raises(ReplyInvalidError):
        reasoned_number(reply, "Rating", 1, 5)
