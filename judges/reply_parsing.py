"""Strict reading of replies: what is not exactly one answer is invalid, with the reason.

A reply may have blank lines around it. Digits are ASCII digits; other scripts' digits are no numbers here, because a
model that was asked for `3` and answers otherwise has not followed the form, and because they may mean a list mark.
"""

import re
from collections.abc import Sequence

from judges.protocol import ReplyInvalidError

EMPTY = "empty"
NO_ANSWER = "no answer in the form requested"
TWO_ANSWERS = "more than one answer"
OFF_SCALE = "number off the scale"
NOT_WHOLE = "not a whole number"
BEYOND = "text after the answer"
NO_RATIONALE = "no rationale before the answer"
NUMBER = r"(?<![\w.,-])-?[0-9]+(?:[.,][0-9]+)?(?![\w])(?![.,][0-9])"


def not_empty(text: str) -> str:
    """Return a reply without blanks around it. Raises ReplyInvalidError if nothing is left."""
    plain = text.strip()
    if not plain:
        raise ReplyInvalidError(EMPTY)
    return plain


def whole_number(text: str, low: float, high: float) -> int:
    """Return the whole number that is all of a text, but for marks of emphasis and a full stop at its end.

    Raises ReplyInvalidError if it is something else or off the scale.
    """
    plain = not_empty(text).removesuffix(".").rstrip().strip("`*_").rstrip(".")
    if re.fullmatch(r"-?[0-9]+[.,][0-9]+", plain):
        raise ReplyInvalidError(NOT_WHOLE)
    if not re.fullmatch(r"-?(0|[1-9][0-9]{0,8})", plain):
        raise ReplyInvalidError(TWO_ANSWERS if len(re.findall(NUMBER, plain)) > 1 else NO_ANSWER)
    number = int(plain)
    if not low <= number <= high:
        raise ReplyInvalidError(OFF_SCALE)
    return number


def number_in_form(text: str, label: str, low: float, high: float) -> int:
    """Return the whole number of a reply: the number alone, or a line such as `Score: 3` and nothing else.

    Raises ReplyInvalidError.
    """
    plain = not_empty(text)
    if label.casefold() in plain.casefold():
        before, plain = after_label(plain, label)
        single_line(before + "\n" + plain if before else plain)
    return whole_number(plain, low, high)


def after_label(text: str, label: str, *, within_line: bool = False) -> tuple[str, str]:
    """Return the text before the one line that begins with `label` and a colon, and the rest after the colon.

    The label is read without regard to case; marks of emphasis around it are ignored. `within_line` also finds it
    after a sentence of the same line, though not inside one, which may say the opposite. Raises ReplyInvalidError if
    the label is missing or found more than once.
    """
    plain = not_empty(text)
    start = r"(?:^[ \t>]*|(?<=[.!?)\]\"'\u201d])[ \t]+)" if within_line else r"^[ \t>]*"
    found = list(re.finditer(rf"(?im){start}[*_]*{re.escape(label)}[*_]*[ \t]*:[*_]*[ \t]*", plain))
    if not found:
        raise ReplyInvalidError(NO_ANSWER)
    named = re.findall(rf"(?i)(?<!\w){re.escape(label)}[*_]*[ \t]*:[*_ \t]*-?[0-9]", plain)
    if len(found) > 1 or len(named) > 1:
        raise ReplyInvalidError(TWO_ANSWERS)
    return plain[: found[0].start()].strip(), plain[found[0].end() :].strip()


def reasoned_number(text: str, label: str, low: float, high: float) -> tuple[str, int]:
    """Return the rationale and the whole number of a reply that ends with the number after `label` and a colon.

    A word `Rationale:` before the rationale is left out. Raises ReplyInvalidError, also if there is no rationale.
    """
    before, after = after_label(text, label, within_line=True)
    number = whole_number(single_line(after), low, high)
    rationale = re.sub(r"(?i)^[*_]*rationale[*_]*[ \t]*:[*_]*\s*", "", before).strip()
    if not re.search(r"\w", rationale):
        raise ReplyInvalidError(NO_RATIONALE)
    return rationale, number


def one_of(text: str, allowed: Sequence[str]) -> str:
    """Return the allowed answer that is all of a text, without regard to case, quotes or a full stop at its end.

    Raises ReplyInvalidError.
    """
    plain = not_empty(text).removesuffix(".").strip().strip("\"'\u201c\u201d`*_").strip().removesuffix(".")
    for answer in allowed:
        if plain.casefold() == answer.casefold():
            return answer
    named = [answer for answer in allowed if re.search(rf"(?i)(?<!\w){re.escape(answer)}(?!\w)", plain)]
    raise ReplyInvalidError(TWO_ANSWERS if len(named) > 1 else NO_ANSWER)


def single_line(text: str) -> str:
    """Return a text that has one line. Raises ReplyInvalidError if more follows."""
    plain = not_empty(text)
    if "\n" in plain:
        raise ReplyInvalidError(BEYOND)
    return plain
