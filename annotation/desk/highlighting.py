"""Words of two texts, so that the page can highlight the words of one text in the other.

The browser gets positions instead of words: each text is a list of words as (gap, length, number). `gap` is the
distance from the end of the previous word; gap and length count UTF-16 code units, as the browser does. Words with
equal numbers differ only in case and inflection. Browsers normalise line ends when they read a page, so positions
refer to `as_displayed(text)`.

The study's language chooses one of Snowball's stemmers; words of other languages are not stemmed. Stop words are our
own short list for English: function words that would be highlighted in every line and show nothing about what a text
copied. There are no lists for other languages, because a wrong one would hide words from raters without their
knowledge: there all shared words are highlighted.
"""

import importlib
import math
import re
import unicodedata
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple

from agreement.text_lengths import UNSPACED as UNSPACED_RANGES

INSIDE = "'\u2019\u200c\u200d"
"""Apostrophes and joiners, which belong to a word if it continues after them."""
POINTS = ".,\u066b\u066c"
"""Decimal points and the like, which belong to a number if digits follow."""
UNSPACED = re.compile(f"[{UNSPACED_RANGES}]")
"""Scripts written without spaces: each character is a word, and a selection of several is found as a phrase."""
BLOCKS_WITH_MARKS = (range(0x300, 0x20000), range(0xE0100, 0xE01F0))


def _marks() -> Iterator[str]:
    """All combining marks of Unicode as ranges of a character class."""
    for block in BLOCKS_WITH_MARKS:
        start = None
        for code in block:
            is_mark = unicodedata.category(chr(code))[0] == "M"
            if is_mark and start is None:
                start = code
            elif not is_mark and start is not None:
                yield f"{chr(start)}-{chr(code - 1)}"
                start = None
        if start is not None:
            yield f"{chr(start)}-{chr(block[-1])}"


_NOT_LATIN = r"(?![\0-\u02ff])"
MARKS = f"{_NOT_LATIN}[{''.join(_marks())}]+"
"""Combining marks. The class has many ranges, and most characters of most texts need not be looked up in it."""
LETTERS = rf"[^\W_{UNSPACED_RANGES}]+"
_RUN = f"(?:{LETTERS}|{MARKS})+"
WORD = (
    rf"(?=[{UNSPACED_RANGES}])[^\W_](?:{MARKS})?"
    rf"|{_RUN}(?:(?:[{INSIDE}]|(?<=\d)[{POINTS}](?=\d))(?={LETTERS}|{MARKS}){_RUN})*"
)
"""The pattern of a word; it takes time in proportion to the text's length."""
WORDS = re.compile(WORD)
_WORDS_AND_GAPS = re.compile(f"({WORD})")


def word_places(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each word of `text`, in code points."""
    return (match.span() for match in WORDS.finditer(text))


def gaps_and_words_of(text: str) -> tuple[list[str], list[str]]:
    """The words of `text`, and what stands before each of them."""
    parts = _WORDS_AND_GAPS.split(text)
    return parts[:-1:2], parts[1::2]


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
REMEMBERED_TEXTS, LONGEST_REMEMBERED = 200, 20_000
"""How many documents' words are kept, and of how many characters at most: some 20 MB if all are that long."""
LONGEST_WORD = 64
"""Longer words are neither folded nor stemmed: both take time that grows with the square of the length."""
MOST_STEMMED = 40_000
"""Characters of different words that are stemmed for one page, some 5,000 words; each word takes 0.05 ms."""
LAST_OF_ONE_UNIT = "\uffff"
DOTTED = ("tr", "az")
JOINERS = "\u200c\u200d"
# Marks that Arabic and Hebrew writing may leave out, and the stroke that only stretches a word.
OPTIONAL = re.compile(r"[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670]")
# Of the scripts without spaces, those that write sounds: a single character of them has no meaning to share.
SOUNDS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff]")


@dataclass(frozen=True)
class Word:
    """`text[start:end]`, in code points, and the form under which it is compared."""

    start: int
    end: int
    stem: str
    is_stop: bool


def as_displayed(text: str) -> str:
    """`text` with the line ends that a browser makes of it; everything else stays."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def folded(word: str, language: str) -> str:
    """`word` without the differences that are not of words: case, compatibility forms, kind of apostrophe."""
    if language in DOTTED:
        word = word.replace("\u0130", "i").replace("I", "\u0131")
    word = unicodedata.normalize("NFKC", word).casefold()
    word = unicodedata.normalize("NFC", word).replace("\u2019", "'").strip(JOINERS)
    return OPTIONAL.sub("", word) or word


@cache
def stemmers() -> Any:
    """Return the library of stemmers on first use: it takes 3 MB, and idle workers stem nothing."""
    return importlib.import_module("snowballstemmer")


@lru_cache(maxsize=REMEMBERED)
def _compared(word: str, language: str, stemmer: str | None) -> tuple[str, bool]:
    """The form under which `word` is compared, and whether it is a stop word."""
    plain = folded(word, language)
    # Each call makes its own stemmer: a stemmer holds the word that it works on, and threads share this function.
    stem = stemmers().stemmer(stemmer).stemWord(plain) if stemmer else plain
    return stem, plain in STOP_WORDS.get(language, ()) or _says_little(plain)


def _says_little(word: str) -> bool:
    """A single letter or digit, as of a list, or a character that only writes a sound."""
    return (len(word) == 1 and not UNSPACED.match(word)) or bool(SOUNDS.match(word))


def words_of(text: str, language: str = "en") -> list[Word]:
    """The words of `text`; `language` is a BCP 47 tag."""
    places = list(word_places(text))
    forms = _forms({text[start:end] for start, end in places}, language)
    return [Word(start, end, *forms[text[start:end]]) for start, end in places]


def _forms(words: Set[str], language: str, most_stemmed: float = math.inf) -> dict[str, tuple[str, bool]]:
    """The form under which each of `words` is compared, and whether it is a stop word.

    A word longer than LONGEST_WORD is compared as it is. If the words have more than `most_stemmed` characters
    together, none is stemmed.
    """
    main = language.lower().partition("-")[0]
    stemmer = STEMMERS.get(main) if sum(map(len, words)) <= most_stemmed else None
    return {word: _compared(word, main, stemmer) if len(word) <= LONGEST_WORD else (word, False) for word in words}


class TextWords(NamedTuple):
    """A text as words: its flat list of gap and length with the word itself in place of its number."""

    rows: tuple[int | str, ...]
    different: tuple[str, ...]


@lru_cache(maxsize=REMEMBERED_TEXTS)
def _kept_words(text: str) -> TextWords:
    return _text_words(text)


def _text_words(text: str) -> TextWords:
    """The words of a text. An item's document is read once per process for all its outputs and raters."""
    shown = as_displayed(text)
    gaps, words = gaps_and_words_of(shown)
    units = _units if max(shown, default="") > LAST_OF_ONE_UNIT else len
    rows: Iterator[int | str] = chain.from_iterable(zip(map(units, gaps), map(units, words), words, strict=True))
    return TextWords(tuple(rows), tuple(dict.fromkeys(words)))


def words_payload(document: str, output: str, language: str) -> dict[str, Any]:
    """The page's data for highlighting: `document` and `output` as flat lists of gap, length and number.

    `stop` lists the numbers of the stop words.
    """
    read = _kept_words if len(document) <= LONGEST_REMEMBERED else _text_words
    texts = {"document": read(document), "output": _text_words(output)}
    different = dict.fromkeys(chain(texts["document"].different, texts["output"].different))
    forms = _forms(different.keys(), language, MOST_STEMMED)
    numbers: dict[str, int] = {}
    number_of: dict[int | str, int] = {word: numbers.setdefault(forms[word][0], len(numbers)) for word in different}
    payload: dict[str, Any] = {}
    for name, text in texts.items():
        payload[name] = rows = list(text.rows)
        rows[2::3] = map(number_of.__getitem__, rows[2::3])
    payload["stop"] = sorted({numbers[stem] for stem, is_stop in forms.values() if is_stop})
    return payload


def _units(text: str) -> int:
    """Length in UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
