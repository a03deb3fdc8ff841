"""Strict reading of replies that are one of several labels."""

from collections.abc import Sequence

from judges.reply_parsing import after_label, not_empty, one_of, single_line


def read_label(text: str, name: str, allowed: Sequence[str]) -> str:
    """Return the label of a reply: the label alone, or a line such as `Rating: good` and nothing else.

    `name` is the word before the colon. Raises ReplyInvalidError.
    """
    plain = not_empty(text)
    if name.casefold() in plain.casefold():
        before, plain = after_label(plain, name)
        single_line(before + "\n" + plain if before else plain)
    return one_of(single_line(plain), allowed)
