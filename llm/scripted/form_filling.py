"""Fills in the form that a prompt ends with, so that prompts which demand one can be tried without a model.

A form stands between the lines `[form]` and `[/form]`. Its blanks are `{whole number from 1 to 5}`,
`{one of: yes | no}`, `{ranks of 4 from 1 to 4}` and `{text}`; more words may follow the numbers of ranks. A form may be
JSON. Which answer is filled in follows from the prompt alone.
"""

import hashlib
import re
from random import Random

FORM = re.compile(r"^\[form\]\n(.*?)\n\[/form\]$", re.DOTALL | re.M)
BLANK = re.compile(
    r"\{(whole number from (-?\d+) to (-?\d+)|one of: ([^{}]+)|ranks of (\d+)(?: from 1 to (\d+))?[^{}]*|text)\}"
)
LONGEST_LIST = 100
TEXT = "A scripted remark, which follows from the prompt alone."


def filled_form(said: str) -> str | None:
    """Return the last form in a prompt, filled in, or None if there is none."""
    forms = FORM.findall(said)
    if not forms:
        return None
    drawn = Random(hashlib.sha256(said.encode("utf-8", "replace")).hexdigest())  # noqa: S311 - equal replies to equal prompts
    return BLANK.sub(lambda found: _answer(found, drawn), forms[-1])


def _answer(blank: re.Match[str], drawn: Random) -> str:
    _, low, high, choices, count, most = blank.groups()
    if low is not None:
        return str(drawn.randint(*sorted((int(low), int(high)))))
    if choices is not None:
        return drawn.choice(choices.split("|")).strip()
    if count is not None:
        length = min(int(count), LONGEST_LIST)
        tiers = max(1, min(length, int(most or length)))
        ranks = [place % tiers + 1 for place in range(length)]
        drawn.shuffle(ranks)
        return ", ".join(map(str, ranks))
    return TEXT
