"""Strict reading of replies: what is not exactly one answer is invalid, with the reason.

What carries no meaning is taken away first (`judges.reply_normalising`). Digits are ASCII digits; other scripts' digits
are no numbers here, because a model that was asked for `3` and answers otherwise has not followed the form, and because
they may mean a list mark.
"""

import re
from collections.abc import Sequence

from judges.protocol import ReplyInvalidError
from judges.reply_normalising import AROUND, AROUND_LABEL, BEFORE_LABEL, BRACKETS, not_empty, plain_reply, without_marks

NO_ANSWER = "no answer in the form requested"
TWO_ANSWERS = "more than one answer"
OFF_SCALE = "number off the scale"
NOT_WHOLE = "not a whole number"
BEYOND = "text after the answer"
BEFORE = "text before the answer"
OTHER_SCALE = "a number of another scale"
NO_RATIONALE = "no rationale before the answer"
NUMBER = r"(?<![\w.,-])-?[0-9]+(?:[.,][0-9]+)?(?![\w])(?![.,][0-9])"


def whole_number(text: str, low: float, high: float) -> int:
    """Return the whole number that is all of a text, but for marks of emphasis and a full stop at its end.

    `4/5` and `4 out of 5` are 4 on a scale to 5. Raises ReplyInvalidError if it is something else or off the scale.
    """
    plain = of_scale(bare(text), high)
    if re.fullmatch(r"-?[0-9]+[.,][0-9]+", plain):
        raise ReplyInvalidError(NOT_WHOLE)
    if not re.fullmatch(r"-?(0|[1-9][0-9]{0,8})", plain):
        raise ReplyInvalidError(no_number(plain))
    number = int(plain)
    if not low <= number <= high:
        raise ReplyInvalidError(OFF_SCALE)
    return number


def bare(text: str) -> str:
    """Return a text without marks and brackets around it and without a full stop at its end.

    Raises ReplyInvalidError if nothing is left.
    """
    plain = re.sub(r"\A#{1,6}[ \t]+", "", not_empty(text).removesuffix("."))
    plain = not_empty(without_marks(plain, (*AROUND, *BRACKETS)))
    return not_empty(plain.removesuffix(".").strip().strip("`*_"))


def of_scale(plain: str, high: float) -> str:
    """Return the number of a text such as `4/5` if the scale ends at 5; another text as it is.

    Raises ReplyInvalidError if the scale ends elsewhere, or so low that `1/2` may be a choice or a fraction.
    """
    between = r"[*_`]*(?:[ \t]?/[ \t]?| out of )[*_`]*"
    found = re.fullmatch(rf"(-?[0-9]+(?:[.,][0-9]+)?){between}([0-9]{{1,9}})", plain, re.IGNORECASE)
    if found is None:
        return plain
    if high <= 2:
        raise ReplyInvalidError(TWO_ANSWERS)
    if float(found[2]) != high:
        raise ReplyInvalidError(OTHER_SCALE)
    return found[1]


def no_number(plain: str) -> str:
    """Return why a text is not one number."""
    if len(re.findall(r"(?<![\w.,])[0-9]+(?:[.,][0-9]+)?(?!\w)", plain)) > 1:
        return TWO_ANSWERS
    first = re.match(r"-?[0-9]+(?:[.,][0-9]+)?(?!\w)", plain)
    return BEYOND if first and any(sign.isalpha() for sign in plain[first.end() :]) else NO_ANSWER


def number_in_form(text: str, label: str, low: float, high: float) -> int:
    """Return the whole number of a reply: the number alone, or a line such as `Score: 3` and nothing else.

    Raises ReplyInvalidError.
    """
    return whole_number(answer_alone(plain_reply(text), label), low, high)


def answer_alone(plain: str, label: str) -> str:
    """Return the one line of a reply, without `label` and a colon if it has them. Raises ReplyInvalidError."""
    if label and label.casefold() in plain.casefold():
        before, plain = after_label(plain, label)
        if before:
            raise ReplyInvalidError(BEFORE)
    return single_line(plain)


def after_label(text: str, label: str, *, within_line: bool = False) -> tuple[str, str]:
    """Return the text before the one line that begins with `label` and a colon, and the rest after the colon.

    The label is read without regard to case; marks of emphasis, headings and lists are ignored. `within_line` also
    finds it after a sentence of the same line, though not inside one, which may say the opposite. Raises
    ReplyInvalidError if the label is missing or with a colon more than once, wherever it stands.
    """
    plain = not_empty(text)
    start = rf"(?:^{BEFORE_LABEL}|(?<=[.!?)\]\"'\u201d])[ \t]+[*_]*)" if within_line else rf"^{BEFORE_LABEL}"
    end = rf"{AROUND_LABEL}[ \t]*:{AROUND_LABEL}[ \t]*"
    found = list(re.finditer(rf"(?im){start}{re.escape(label)}{end}", plain))
    if not found:
        raise ReplyInvalidError(NO_ANSWER)
    named = re.findall(rf"(?i)(?<!\w){re.escape(label)}{AROUND_LABEL}[ \t]*:", plain)
    if len(found) > 1 or len(named) > 1:
        raise ReplyInvalidError(TWO_ANSWERS)
    return plain[: found[0].start()].strip(), plain[found[0].end() :].strip()


def reasoned_number(text: str, label: str, low: float, high: float) -> tuple[str, int]:
    """Return the rationale and the whole number of a reply that ends with the number after `label` and a colon.

    A word `Rationale:` before the rationale is left out. Raises ReplyInvalidError, also if there is no rationale.
    """
    before, after = after_label(plain_reply(text), label, within_line=True)
    number = whole_number(single_line(after), low, high)
    rationale = re.sub(r"(?i)^[*_]*rationale[*_]*[ \t]*:[*_]*\s*", "", before).strip()
    if not re.search(r"\w", rationale):
        raise ReplyInvalidError(NO_RATIONALE)
    return rationale, number


def one_of(text: str, allowed: Sequence[str]) -> str:
    """Return the allowed answer that is all of a text, without regard to case, quotes or a full stop at its end.

    Raises ReplyInvalidError.
    """
    plain = bare(text).strip("\"'\u201c\u201d`*_").strip().removesuffix(".")
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
