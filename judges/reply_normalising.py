"""Takes from a reply what carries no meaning, once and before it is read: marks of code, of the form and of emphasis.

Nothing is taken that could change what a reply says. Reading stays strict: what can be read in two ways is refused.
"""

import re
from collections.abc import Iterable

from judges.protocol import ReplyInvalidError

EMPTY = "empty"
INVISIBLE = dict.fromkeys(
    map(ord, "\ufeff\u200b\u2060\u00ad\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
)
"""Marks without a width, of which none changes a word; joiners, which do in some scripts, stay."""
SPACES = dict.fromkeys(
    map(ord, "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"), " "
)
COLONS = dict.fromkeys(map(ord, "\uff1a\ufe55\ufe13"), ":")
FENCE = re.compile(r"(?m)^[ \t>]*(?:```|~~~)[\w+-]*[ \t]*(?:\n|\Z)")
FORM_MARK = re.compile(r"(?im)^[ \t>]*\[/?form\][ \t]*(?:\n|\Z)")
OPEN_FENCE = re.compile(r"\A\s*(?:```|~~~)[\w+-]*[ \t]*\n|\n[ \t]*(?:```|~~~)\s*\Z")
RULES = re.compile(r"\A\s*(?:(?:-{3,}|\*{3,}|_{3,})[ \t]*\n\s*)+|(?:\n[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*)+\Z")
END_TOKENS = re.compile(
    r"(?i)(?:<\|(?:im_end|end|eot_id|eom_id|endoftext|end_of_text|return|eot)\|>|</s>|<eos>|<end_of_turn>)\Z"
)
"""Marks of a reply's end, which some servers leave in it."""
AROUND = (
    ("[form]", "[/form]"),
    ("<answer>", "</answer>"),
    ("<response>", "</response>"),
    ("```", "```"),
    ("**", "**"),
    ("__", "__"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("\u201c", "\u201d"),
    ("\u2018", "\u2019"),
    ("\u00ab", "\u00bb"),
    ("\u201e", "\u201c"),
    ("[[", "]]"),
    ("\\boxed{", "}"),
    ("$\\boxed{", "}$"),
    ("*", "*"),
    ("_", "_"),
)
BRACKETS = (("[", "]"), ("(", ")"))
BEFORE_LABEL = r"(?:[ \t]*(?:[>#*+`\u2022_\"'\u201c\u2018-]+[ \t]*)*)"
"""What may stand before a label on its line: marks of quotations, headings, lists and emphasis."""
AROUND_LABEL = r"[*_`\"\u201d\u2019]*"


def plain_reply(text: str) -> str:
    """Return a reply without what carries no meaning. Raises ReplyInvalidError if nothing is left."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").translate({**INVISIBLE, **SPACES, **COLONS})
    while (shorter := END_TOKENS.sub("", plain.strip())) != plain:
        plain = shorter
    plain = RULES.sub("", plain)
    fences = len(FENCE.findall(plain))
    if fences % 2 == 0:
        plain = FENCE.sub("", plain)
    elif fences == 1:  # one that was never closed, or never opened
        plain = OPEN_FENCE.sub("", plain)
    return not_empty(without_marks(FORM_MARK.sub("", plain)))


def without_marks(text: str, marks: Iterable[tuple[str, str]] = AROUND) -> str:
    """Return a text without pairs of marks around all of it."""
    plain = text.strip()
    while True:
        low = plain.lower()
        found = next(
            (
                (left, right)
                for left, right in marks
                if low.startswith(left)
                and low.endswith(right)
                and len(low) > len(left) + len(right)
                and not _splits(plain[len(left) : len(plain) - len(right)], left, right)
            ),
            None,
        )
        if found is None:
            return plain
        plain = plain[len(found[0]) : len(plain) - len(found[1])].strip()


def _splits(inner: str, left: str, right: str) -> bool:
    """Return whether the marks at both ends are those of two marked parts, such as in `**a** b **c**`."""
    return left in inner or right in inner


def not_empty(text: str) -> str:
    """Return a text without blanks around it. Raises ReplyInvalidError if nothing is left."""
    plain = text.strip()
    if not plain:
        raise ReplyInvalidError(EMPTY)
    return plain
