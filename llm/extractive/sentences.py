"""Splits text into sentences, and finds the sentences of a paper that can be quoted."""

import re
import unicodedata

from llm.citations import CITATION

TERMINAL = re.compile(r"[.!?\u2026\u203d\u061f\u06d4\u0964\u0965\u0589\u1362]+|[\u3002\uff01\uff1f\uff61]+")
WIDE = "\u3002\uff01\uff1f\uff61"  # sentence ends in scripts that put no space after them
SPACES = re.compile(r"\s*")
LONGEST_LAST_WORDS = 100  # characters before a full stop that tell whether it ends an abbreviation
QUESTION_MARKS = ("?", "\uff1f", "\u061f")
CLOSERS = "\"'\u201d\u2019\u00bb)]}\u300d\u300f\uff09*_"
OPENERS = "\"'\u201c\u2018\u00ab([{\u300c\u300e\uff08*_\u00bf\u00a1"
SPACED_CITATION = re.compile(rf"\s?{CITATION}")  # a citation with the space before it
ABBREVIATED = """
    al approx app assoc ca cf chap ch col dept dr ed eds eg eq eqs esp est etc ex fig figs ie inc incl jr lit
    ltd mr mrs ms no nos op p par pp prof ref refs resp sec sect sr st suppl tab univ v viz vol vols vs bzw usw
    vgl abb z.b d.h u.a e.g i.e w.r.t a.k.a
"""
ABBREVIATIONS = frozenset(ABBREVIATED.split())
ENDING_ABBREVIATIONS = frozenset(("etc", "al", "usw", "jr", "inc", "ltd"))
"""Abbreviations that often end a sentence: they do if a capital letter follows."""

AUTHORS_AND_YEAR = re.compile(
    r"\s?[(\[][^()\[\]]{0,400}?(?:,|\bal\.)\s*(?:18|19|20)\d\d[a-z]?(?:[,;][^()\[\]]{0,60})?[)\]]"
)
FOOTNOTE_NUMBER = re.compile(r"[\u00b9\u00b2\u00b3\u2070-\u2079]+|(?<=[.!?])\d{1,3}(?=\s+[A-Z]|$)")
EMPHASIS = re.compile(r"(?<![\w*])(\*{1,2}|_)(?=\S)(.+?)(?<=\S)\1(?![\w*])")
BULLET = re.compile(r"^(?:[-\u2022\u25cf*]|\(?(?:\d{1,2}|[ivx]{1,4}|[a-z])[.)])\s+", re.IGNORECASE)
CODE = re.compile(r"[\\$|{}<>\u2022\u25cf]|\w_\{|https?:|www\.|\S@\S+\.\w|\^")
CAPTION = re.compile(r"(?:table|figure|fig|tab|algorithm|listing|footnote)\.?\s*[\dA-Z]{1,3}\s*[:.|]", re.IGNORECASE)
YEAR = re.compile(r"\b(?:18|19|20)\d\d[a-z]?\b")
FEWEST_WORDS, MOST_WORDS = 6, 55
FEWEST_LETTERS = 12  # in scripts without spaces
SHARE_OF_LETTERS = 0.72


def sentences(text: str) -> list[str]:
    """Return the sentences of `text` in order, each with its end and the citations after it, without outer spaces.

    A full stop ends no sentence after an abbreviation or an initial, inside a number or an address, or before a
    lower-case letter. An empty line always ends one.
    """
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        start = 0
        for match in TERMINAL.finditer(paragraph):
            end = _end(paragraph, start, match)
            if end is not None and end > start:
                found.append(paragraph[start:end])
                start = end
        found.append(paragraph[start:])
    return [sentence for one in found if (sentence := " ".join(one.split()))]


def quotable(text: str) -> list[tuple[int, str]]:
    """Return the sentences of a passage that make sense alone, cleaned, each with its number in the passage.

    Captions, references, formulas, questions, fragments and very long sentences are left out.
    """
    numbered = enumerate(cleaned(sentence) for sentence in sentences(text))
    return [(number, sentence) for number, sentence in numbered if _can_be_quoted(sentence)]


def cleaned(sentence: str) -> str:
    """Return the words of a sentence without the paper's own citations, footnote numbers, emphasis and bullets."""
    text = EMPHASIS.sub(r"\2", FOOTNOTE_NUMBER.sub("", sentence))
    text = BULLET.sub("", SPACED_CITATION.sub("", AUTHORS_AND_YEAR.sub("", text)))
    return re.sub(r"\s+([,.;:!?])", r"\1", " ".join(text.split()))


def is_unspaced(text: str) -> bool:
    """Return whether the script of `text` puts no spaces between words."""
    return len(text) > 10 * len(text.split())


def _end(text: str, start: int, match: re.Match[str]) -> int | None:
    """Return the end of the sentence that `match` may end, with closing marks and citations; None if it continues."""
    end = match.end()
    while end < len(text) and text[end] in CLOSERS:
        end += 1
    after = end
    while citation := SPACED_CITATION.match(text, after):
        after = citation.end()
    if after > end and _may_begin(_head(text, after)):
        end = after
    if end >= len(text) or match[0][-1] in WIDE:
        return end
    if not text[end].isspace():
        return None
    head, last = _head(text, end), max(start, match.start() - LONGEST_LAST_WORDS)
    if match[0] == "." and _is_abbreviation(text[last : match.start()], head[:1]):
        return None
    return end if _may_begin(head) else None


def _head(text: str, start: int) -> str:
    """Return the next two characters that are no spaces; looks at no more of the text, which may be long."""
    begin = SPACES.match(text, start).end()  # type: ignore[union-attr]
    return text[begin : begin + 2]


def _may_begin(head: str) -> bool:
    """Return whether a sentence may begin with `head`: anything but a lower-case letter or an inner mark."""
    head = head.lstrip(OPENERS) or head
    return not head or (not head[0].islower() and head[0] not in ",;:.)-\u2013=+/")


def _is_abbreviation(before: str, following: str) -> bool:
    """Return whether the full stop after `before` belongs to its last word."""
    words = before.split()
    if not words:
        return True
    word = words[-1].lstrip(OPENERS)
    folded = word.casefold()
    if folded in ENDING_ABBREVIATIONS:
        return not following.isupper()
    if folded in ABBREVIATIONS or folded.rpartition("-")[2] in ABBREVIATIONS:
        return True
    if len(word) == 1 and word.isupper():
        return len(words) == 1 or words[-2][:1].isupper()
    return (word.isdecimal() and len(words) == 1) or bool(re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]", word))


def _can_be_quoted(sentence: str) -> bool:
    if not sentence or not TERMINAL.search(sentence[-3:]) or sentence.rstrip(CLOSERS).endswith(QUESTION_MARKS):
        return False
    if CODE.search(sentence) or CAPTION.match(sentence) or not _may_begin(sentence) or not _is_balanced(sentence):
        return False
    words = sentence.split()
    letters = sum(character.isalpha() or unicodedata.category(character)[0] == "M" for character in sentence)
    if letters < SHARE_OF_LETTERS * (len(sentence) - len(words) + 1):
        return False
    if is_unspaced(sentence):
        return letters >= FEWEST_LETTERS
    return FEWEST_WORDS <= len(words) <= MOST_WORDS and len(YEAR.findall(sentence)) <= 2


def _is_balanced(text: str) -> bool:
    pairs = (("(", ")"), ("[", "]"), ("\u201c", "\u201d"), ("\u300c", "\u300d"), ("\uff08", "\uff09"))
    return all(text.count(left) == text.count(right) for left, right in pairs) and text.count('"') % 2 == 0
