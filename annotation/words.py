"""Words of two texts, for showing on the page where the words of one occur in the other.

The browser gets places, not words: for each text a list of words as (gap, length, number), where `gap` is
the distance from the end of the word before, both counted in UTF-16 code units, as the browser's strings
are; words with the same number are the same but for case and inflection. The browser normalises line ends when it
reads a page, so the places are those in `as_displayed(text)`.

Stemmers are Snowball's, chosen by the study's language; a language without one keeps its words whole. Stop
words are a short list of our own for English, the function words that would mark every line and tell nothing
about what a text took over: taking a dependency, or guessing for languages that we cannot check, would
hide words from raters without their knowing. In other languages the switch marks all words in common.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import snowballstemmer

STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish",
    "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian",
    "it": "italian", "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
ENGLISH = """
    a about above after again against all almost also although always am among an and another any anyone anything
    are aren't around as at away back be became because become been before being below between both but by came can
    can't cannot come could couldn't did didn't do does doesn't doing don't done down during each either else even
    ever every everyone everything few for from further get gets getting give given go goes going gone got had
    hadn't has hasn't have haven't having he he'd he'll he's her here hers herself him himself his how however i i'd
    i'll i'm i've if in into is isn't it it'd it'll it's its itself just least less let let's like many may me might
    mine more most much must mustn't my myself neither no nobody none nor not nothing now of off often on once one
    only onto or other others our ours ourselves out over own perhaps put rather really said same say says she she'd
    she'll she's should shouldn't since so some somebody someone something still such than that that's the their
    theirs them themselves then there there's these they they'd they'll they're they've this those though through
    thus to too took toward towards under until up upon us very was wasn't we we'd we'll we're we've went were
    weren't what whatever when where whether which while who whom whose why will with within without won't would
    wouldn't yes yet you you'd you'll you're you've your yours yourself yourselves
"""
STOP_WORDS = {"en": frozenset(ENGLISH.split())}
REMEMBERED = 20_000  # stems: consecutive tasks share a document, and all documents their commonest words
DOTTED = ("tr", "az")
JOINERS = "\u200c\u200d"
INSIDE = "'\u2019" + JOINERS
POINTS = ".,\u066b\u066c"
# Marks that Arabic and Hebrew writing may leave out, and the stroke that only stretches a word.
OPTIONAL = re.compile(r"[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]")
# Scripts written without spaces: each character stands as a word, and a choice of several is found as a phrase.
UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
# Of those, the ones that write sound and not meaning: by themselves they have nothing in common.
SOUNDS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff]")


@dataclass(frozen=True)
class Word:
    """`text[start:end]`, in code points, and the form under which it is compared."""

    start: int
    end: int
    stem: str
    is_stop: bool


@cache
def _kind(character: str) -> str:
    """What a character is to a word: `mark`, `part` (letter or digit), `whole` (a word by itself) or nothing."""
    category = unicodedata.category(character)[0]
    if category == "M":
        return "mark"
    if category not in "LN":
        return ""
    return "whole" if UNSPACED.match(character) else "part"


def as_displayed(text: str) -> str:
    """`text` with the line ends that a browser makes of it; everything else stays."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Places of the words in `text`: letters, digits and marks, with apostrophes and joiners between them."""
    kinds = [_kind(character) for character in text] + [""]
    place = 0
    while place < len(text):
        start, first = place, kinds[place]
        place += 1
        if not first:
            continue
        goes_on = {"mark"} if first == "whole" else {"mark", "part"}
        while kinds[place] in goes_on or (first != "whole" and _joins(text, kinds, place)):
            place += 1
        yield start, place


def _joins(text: str, kinds: list[str], place: int) -> bool:
    """Whether the character at `place` is one inside a word: an apostrophe, a joiner, or the point of a number."""
    if place >= len(text) or kinds[place + 1] not in ("part", "mark"):
        return False
    is_point = text[place] in POINTS and text[place - 1].isdecimal() and text[place + 1].isdecimal()
    return is_point or text[place] in INSIDE


def folded(word: str, language: str) -> str:
    """`word` without the differences that are not of words: case, compatibility forms, kind of apostrophe."""
    if language in DOTTED:
        word = word.replace("\u0130", "i").replace("I", "\u0131")
    word = unicodedata.normalize("NFKC", word).casefold()
    word = unicodedata.normalize("NFC", word).replace("\u2019", "'").strip(JOINERS)
    return OPTIONAL.sub("", word) or word


@lru_cache(maxsize=REMEMBERED)
def _compared(word: str, language: str) -> tuple[str, bool]:
    """The form under which `word` is compared, and whether it is a stop word."""
    plain, name = folded(word, language), STEMMERS.get(language)
    # A stemmer is made anew each time: it holds the word that it works on, and threads share this function.
    stem = snowballstemmer.stemmer(name).stemWord(plain) if name else plain
    return stem, plain in STOP_WORDS.get(language, ()) or _says_little(plain)


def _says_little(word: str) -> bool:
    """A single letter or digit, as of a list, or a character that only writes a sound."""
    return (len(word) == 1 and not UNSPACED.match(word)) or bool(SOUNDS.match(word))


def words_of(text: str, language: str = "en") -> list[Word]:
    """The words of `text`; `language` is a BCP 47 tag."""
    main = language.lower().partition("-")[0]
    return [Word(start, end, *_compared(text[start:end], main)) for start, end in _spans(text)]


def _units(text: str) -> int:
    """Length in UTF-16 code units."""
    return len(text) + sum(character > "\uffff" for character in text)


def words_payload(document: str, output: str, language: str) -> dict[str, Any]:
    """What the page needs for highlighting: `document` and `output` as flat lists of gap, length, number; `stop`.

    `stop` lists the numbers of stop words.
    """
    numbers: dict[str, int] = {}
    stops: set[int] = set()
    payload: dict[str, Any] = {}
    for name, given in (("document", document), ("output", output)):
        text, end, flat = as_displayed(given), 0, []
        for word in words_of(text, language):
            number = numbers.setdefault(word.stem, len(numbers))
            if word.is_stop:
                stops.add(number)
            flat += [_units(text[end : word.start]), _units(text[word.start : word.end]), number]
            end = word.end
        payload[name] = flat
    payload["stop"] = sorted(stops)
    return payload
