"""Strict reading of replies that are one of several labels."""

from collections.abc import Sequence

from judges.reply_normalising import plain_reply
from judges.reply_parsing import answer_alone, one_of


def read_label(text: str, name: str, allowed: Sequence[str]) -> str:
    """Return the label of a reply: the label alone, or a line such as `Rating: good` and nothing else.

    `name` is the word before the colon. Raises ReplyInvalidError.
    """
    return one_of(answer_alone(plain_reply(text), name), allowed)
