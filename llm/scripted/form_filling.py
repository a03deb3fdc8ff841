"""Fills in the form that a prompt ends with, so that prompts which demand one can be tried without a model.

A form stands between the lines `[form]` and `[/form]`. Its blanks are `{whole number from 1 to 5}`,
`{number from 0 to 1.5}`, `{one of: yes | no}`, `{ranks of 4 from 1 to 4}`, `{two different numbers from 1 to 4}`,
`{text}`, `{instruction}` and `{question}`; more words may follow the numbers of ranks. A form may be JSON. Which answer
is filled in follows from the prompt alone. Instructions and questions use words of the prompt, and no form has the same
one twice.
"""

import hashlib
import re
from collections.abc import Iterator
from itertools import chain, count
from random import Random

FORM = re.compile(r"^\[form\]\n(.*?)\n\[/form\]$", re.DOTALL | re.M)
BLANK = re.compile(
    r"\{(whole number from (-?\d+) to (-?\d+)|one of: ([^{}]+)|ranks of (\d+)(?: from 1 to (\d+))?[^{}]*"
    r"|two different numbers from 1 to (\d+)|number from (-?[\d.]+) to (-?[\d.]+)|(instruction|question)|text)\}"
)
FENCED = re.compile(r"^<([a-z0-9 ]+ [0-9a-f]{16})>\n(.*?)\n</\1>$", re.DOTALL | re.M)
LONGEST_LIST = 100
NAMES = re.compile(r"[^\W\d_]{5,30}")
ABOUT = {
    "instruction": (
        "Summarise what the text says about {} in one sentence.", "List two points about {} as bullets.",
        "Say in at most 20 words why {} matters.", "Write a timeline of what happens with {}.",
    ),
    "question": (
        "What is known about {}, and how?", "How do approaches to {} differ?", "Which problems does {} solve?",
    ),
}  # fmt: skip
TEXT = "A scripted remark, which follows from the prompt alone."


def filled_form(said: str) -> str | None:
    """Return the last form in a prompt, filled in, or None if there is none."""
    forms = FORM.findall(said)
    if not forms:
        return None
    seed = hashlib.sha256(said.encode("utf-8", "replace")).hexdigest()
    drawn, topics = Random(seed), _topics(said, Random(f"topics {seed}"))  # noqa: S311 - equal replies to equal prompts
    return BLANK.sub(lambda found: _answer(found, drawn, topics), forms[-1])


def _topics(said: str, drawn: Random) -> Iterator[str]:
    """Return words that stand between marks in a prompt, in a drawn order, and then numbers."""
    words = sorted(set(NAMES.findall("\n".join(found[2] for found in FENCED.finditer(said)))))
    drawn.shuffle(words)
    return chain(words, (f"point {number}" for number in count(1)))


def _answer(blank: re.Match[str], drawn: Random, topics: Iterator[str]) -> str:
    _, low, high, choices, ranked, most, places, least, last, about = blank.groups()
    if low is not None:
        return str(drawn.randint(*sorted((int(low), int(high)))))
    if choices is not None:
        return drawn.choice(choices.split("|")).strip()
    if ranked is not None:
        length = min(int(ranked), LONGEST_LIST)
        tiers = max(1, min(length, int(most or length)))
        ranks = [place % tiers + 1 for place in range(length)]
        drawn.shuffle(ranks)
        return ", ".join(map(str, ranks))
    if places is not None:
        return ", ".join(map(str, drawn.sample(range(1, min(max(int(places), 2), LONGEST_LIST) + 1), 2)))
    if least is not None:
        return f"{drawn.uniform(float(least), float(last)):.1f}"
    if about is not None:
        return drawn.choice(ABOUT[about]).format(next(topics))
    return TEXT
