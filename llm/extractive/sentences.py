"""Sentences of a text, and the sentences of a paper's passage that can be quoted."""

import re
import unicodedata

TERMINAL = re.compile(r"[.!?\u2026\u203d\u061f\u06d4\u0964\u0965\u0589\u1362]+|[\u3002\uff01\uff1f\uff61]+")
WIDE = "\u3002\uff01\uff1f\uff61"
"""Ends of sentences in scripts that put no space after them."""
QUESTIONS = ("?", "\uff1f", "\u061f")
CLOSERS = "\"'\u201d\u2019\u00bb)]}\u300d\u300f\uff09*_"
OPENERS = "\"'\u201c\u2018\u00ab([{\u300c\u300e\uff08*_\u00bf\u00a1"
MARK = re.compile(r"\s?\[\d{1,3}(?:\s?[,;]\s?\d{1,3})*\]")
"""A citation, `[2]` or `[0, 3]`, with the space before it."""
SHORTENED = """
    al approx app assoc ca cf chap ch col dept dr ed eds eg eq eqs esp est etc ex fig figs ie inc incl jr lit
    ltd mr mrs ms no nos op p par pp prof ref refs resp sec sect sr st suppl tab univ v viz vol vols vs bzw usw
    vgl abb z.b d.h u.a e.g i.e w.r.t a.k.a
"""
ABBREVIATIONS = frozenset(SHORTENED.split())
ENDING_ABBREVIATIONS = frozenset(("etc", "al", "usw", "jr", "inc", "ltd"))
"""Those that often end a sentence: they do where a capital follows that no bracket opens."""

AUTHORS = re.compile(r"\s?[(\[][^()\[\]]{0,400}?(?:,|\bal\.)\s*(?:18|19|20)\d\d[a-z]?(?:[,;][^()\[\]]{0,60})?[)\]]")
"""Authors and years in brackets; a year alone in brackets belongs to the names before it."""
YEAR = re.compile(r"\b(?:18|19|20)\d\d[a-z]?\b")
FOOTNOTE = re.compile(r"[\u00b9\u00b2\u00b3\u2070-\u2079]+|(?<=[.!?])\d{1,3}(?=\s+[A-Z]|$)")
EMPHASIS = re.compile(r"(?<![\w*])(\*{1,2}|_)(?=\S)(.+?)(?<=\S)\1(?![\w*])")
CODE = re.compile(r"[\\$|{}<>\u2022\u25cf]|\w_\{|https?:|www\.|\S@\S+\.\w|\^")
CAPTION = re.compile(r"(?:table|figure|fig|tab|algorithm|listing|footnote)\.?\s*[\dA-Z]{1,3}\s*[:.|]", re.IGNORECASE)
RUN_IN = re.compile(
    r"^(?:[^\s.,;:]+\s+){1,8}?(?=(?:We|Our|Additionally|However|Although|While|Given|Recent|Previous|Prior|In|To|This|These|The"
    r"|For|Using|Since|There|Most|Results show),?\s+[a-z])(?<=[a-z)]\s)"
)
"""A heading that ran into the first sentence of its paragraph."""
LIST_MARK = re.compile(r"^(?:[-\u2022\u25cf*]|\(?(?:\d{1,2}|[ivx]{1,4}|[a-z])[.)])\s+", re.IGNORECASE)
LEAST_WORDS, MOST_WORDS = 6, 55
LEAST_CHARACTERS = 12
LONGEST_WORD = 28
LETTERS = 0.72


def sentences(text: str) -> list[str]:
    """The sentences of `text` in their order, each with its end and the citations that follow, without spaces around.

    A full stop ends none after an abbreviation or an initial, inside a number or an address, or where a small
    letter follows. An empty line ends every one.
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


def _end(text: str, start: int, match: re.Match[str]) -> int | None:
    """Where the sentence with this end ends, closing marks and citations included; None where it goes on."""
    end = match.end()
    while end < len(text) and text[end] in CLOSERS:
        end += 1
    is_wide = match[0][-1] in WIDE
    after = end
    while mark := MARK.match(text, after):
        after = mark.end()
    if after > end and _may_begin(text[after:].lstrip()[:2], nothing=True):
        end = after
    if end >= len(text) or is_wide:
        return end
    rest = text[end:]
    if not rest[0].isspace():
        return None
    if match[0] == "." and _is_abbreviation(text[start : match.start()], rest.lstrip()[:1]):
        return None
    return end if _may_begin(rest.lstrip()[:2], nothing=True) else None


def _may_begin(head: str, *, nothing: bool) -> bool:
    """Whether a sentence may begin with `head`: anything but a small letter or a mark inside sentences."""
    head = head.lstrip(OPENERS) or head
    if not head:
        return nothing
    return not head[0].islower() and head[0] not in ",;:.)-\u2013=+/"


def _is_abbreviation(before: str, following: str) -> bool:
    """Whether the full stop after `before` belongs to its last word."""
    words = before.split()
    if not words:
        return True
    word = words[-1].lstrip(OPENERS)
    plain = word.casefold()
    if plain in ENDING_ABBREVIATIONS:
        return not following.isupper()
    if plain in ABBREVIATIONS or plain.rpartition("-")[2] in ABBREVIATIONS:
        return True
    if len(word) == 1 and word.isupper():
        return len(words) < 2 or words[-2][:1].isupper() or len(words) == 1
    return (word.isdecimal() and len(words) == 1) or bool(re.fullmatch(r"(?:[A-Za-z]\.)+[A-Za-z]", word))


def quotable(text: str) -> list[tuple[int, str]]:
    """The sentences of a passage that stand by themselves, cleaned, with their numbers in the passage.

    Left out are captions, references, tables, formulas, fragments and what is too long to be read as one
    sentence. What is no word of the sentence goes: citations in brackets, which would be taken for ours, numbers
    of footnotes, marks of emphasis, bullets.
    """
    found = []
    for number, sentence in enumerate(sentences(text)):
        clean = cleaned(sentence)
        if stands(clean):
            found.append((number, clean))
    return found


def cleaned(sentence: str) -> str:
    """The words of a sentence alone."""
    text = EMPHASIS.sub(r"\2", FOOTNOTE.sub("", sentence))
    text = MARK.sub("", AUTHORS.sub("", text))
    text = LIST_MARK.sub("", text).lstrip("".join(("*\u2022\u25cf-\u2013 ",)))
    while text and unicodedata.category(text[0])[0] in ("S", "C"):
        text = text[1:].lstrip()
    text = re.sub(r"\s+([,.;:!?])", r"\1", " ".join(text.split()))
    return RUN_IN.sub("", text)


def stands(sentence: str) -> bool:
    """Whether a cleaned sentence can be quoted by itself."""
    if not sentence or not TERMINAL.search(sentence[-3:]) or CODE.search(sentence) or CAPTION.match(sentence):
        return False
    if (
        sentence.rstrip(CLOSERS).endswith(QUESTIONS)
        or sentence[0].islower()
        or sentence[0] in ",;:.)]/=+&%"
        or not _is_balanced(sentence)
    ):
        return False
    words = sentence.split()
    letters = sum(character.isalpha() or unicodedata.category(character)[0] == "M" for character in sentence)
    if letters < LETTERS * (len(sentence) - len(words) + 1):
        return False
    if is_unspaced(sentence):
        return letters >= LEAST_CHARACTERS
    if len(YEAR.findall(sentence)) > 2 or max(map(len, words)) > LONGEST_WORD:
        return False
    return LEAST_WORDS <= len(words) <= MOST_WORDS


def is_unspaced(text: str) -> bool:
    """Whether `text` is in a script that writes words without spaces between them."""
    return len(text) > 10 * len(text.split())


def _is_balanced(text: str) -> bool:
    pairs = (("(", ")"), ("[", "]"), ("\u201c", "\u201d"), ("\u300c", "\u300d"), ("\uff08", "\uff09"))
    return all(text.count(left) == text.count(right) for left, right in pairs) and text.count('"') % 2 == 0
