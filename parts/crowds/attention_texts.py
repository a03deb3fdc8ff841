"""Short texts that hide an instruction: who follows it has read to the end.

The draw is in the form, signed, so that showing the page stores nothing. Time plays no part in it.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from django.core import signing

from annotation.models import Study
from parts.crowds.browser_mark import mark_key

SALT = "crowds.attention"
LONGEST_AGE = 24 * 3600
"""Seconds for which a drawn text can be answered; after that another one is drawn."""


@dataclass(frozen=True)
class AttentionText:
    """A text with an instruction in it, a question after it, and the choice that the instruction asks for."""

    text: str
    question: str
    choices: tuple[str, ...]
    answer: str


@dataclass(frozen=True)
class DrawnText:
    """A text that was drawn for a page, and the signed value by which the form names it."""

    shown: AttentionText
    token: str


def draw(study: Study, texts: Sequence[AttentionText], mark: str) -> DrawnText:
    """Draw one of the texts for the browser with this mark."""
    number = secrets.randbelow(len(texts))
    return DrawnText(texts[number], signing.dumps([study.pk, number, mark_key(mark)], salt=SALT))


def is_followed(study: Study, texts: Sequence[AttentionText], token: str, answer: str, mark: str) -> bool:
    """Whether `answer` is what the text asks for that was drawn for the browser with this mark, and for no other."""
    try:
        drawn_for, number, key = signing.loads(token, salt=SALT, max_age=LONGEST_AGE)
    except (signing.BadSignature, ValueError):  # or a page from before texts belonged to a browser
        return False
    return (drawn_for, key) == (study.pk, mark_key(mark)) and number < len(texts) and texts[number].answer == answer


BUILT_IN = (
    AttentionText(
        "The harbour of the town is small, and in summer it is full of sailing boats. The ferry leaves twice a day. "
        "A question about this text follows. Whatever it asks, choose the word lantern, so that we know that you have "
        "read this far. On Sundays the harbour office is closed, and the bakery beside it sells the tickets.",
        "What does the bakery sell on Sundays?",
        ("tickets", "bread only", "lantern", "boats", "nothing"),
        "lantern",
    ),
    AttentionText(
        "Bees find flowers by colour and by smell. A bee that comes home tells others where it has been, by a dance. "
        "Some gardens are planted for bees alone. Below is a question on what bees like; leave it aside and choose "
        "the answer copper, which shows us that you read with care. In autumn most gardens are cut back.",
        "How do bees find flowers?",
        ("by sound", "copper", "by colour and smell", "by chance", "by the wind"),
        "copper",
    ),
    AttentionText(
        "The library was built in 1911 and has two reading rooms. The larger one looks out on the river. Maps are "
        "kept in the cellar, where the air is dry. We ask you for one thing: of the answers below, take the one that "
        "says eleven spoons. The smaller room is for children, and it is the louder of the two.",
        "Where are the maps kept?",
        ("in the larger room", "in the cellar", "in the smaller room", "eleven spoons", "by the river"),
        "eleven spoons",
    ),
    AttentionText(
        "A good soup takes time. The onions go in first, and the salt last. Many cooks add a leaf of bay. "
        "You will be asked when the salt goes in. Do not answer that; choose I read the text instead. "
        "The soup is better on the second day, if anything is left of it.",
        "When does the salt go in?",
        ("first", "last", "with the onions", "never", "I read the text"),
        "I read the text",
    ),
    AttentionText(
        "Night trains are back in many countries. People sleep in small cabins and wake up in another city. The beds "
        "are narrow, and the breakfast is simple. For this page, please give the answer blue umbrella, even though "
        "the question is about something else. Tickets are cheaper if they are bought early.",
        "What are the beds like?",
        ("wide", "soft", "narrow", "blue umbrella", "there are none"),
        "blue umbrella",
    ),
)
"""The texts that are used unless a study declares its own."""
