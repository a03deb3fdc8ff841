"""The sentences and paragraphs that an instruction means."""

import re
from dataclasses import dataclass

from llm.errors import CannotError
from llm.extractive.sentences import MARK
from llm.extractive.structure import Blocks, Place, at, places
from llm.extractive.terms import terms
from llm.extractive.wording import CARDINAL, HELD, ORDINAL, THING, cardinal, ordinal

SEVERAL = rf"{ORDINAL}(?:(?:,? and |, )(?:the )?{ORDINAL})*"
WITHIN = r"(?: (?:of|in|from) (?P<scope>.+))?"
BY_ORDER = re.compile(
    rf"(?:the )?(?P<which>{SEVERAL})(?: (?P<number>{CARDINAL}))? (?P<thing>{THING})s?{WITHIN}", re.IGNORECASE
)
BY_NUMBER = re.compile(
    rf"(?:the )?(?P<thing>{THING})s? (?:number )?(?P<which>\d+(?:(?:,? and |, )\d+)*){WITHIN}", re.IGNORECASE
)
BY_WORDS = re.compile(
    rf"(?:(?:the|any|all|every|all of the|this|that)"
    rf" )*(?P<thing>{THING}|part|bit|discussion|mention|description|explanation"
    r"|information|content|detail|text|everything|anything|definition|example)s?:?"
    r" (?:(?:about|on|regarding|concerning"
    r"|mentioning|of|describing|discussing|containing|defining|to|with|saying|explaining|where|in which"
    r"|(?P<start>(?:that |which )?(?:starting|beginning|starts|begins) with)"
    r"|(?:that|which) (?:mentions?|describes?|discuss(?:es)?|contains?|says?|is about|are about|talks? about|defines?"
    r"|explains?))(?: the (?:words?|phrase|text|topic|term|string))? )?(?P<topic>.+)",
    re.IGNORECASE,
)
ONE_QUOTED = re.compile(
    rf"(?:the |this )?(?:(?P<thing>{THING}|phrase|text|words?|string):?"
    rf" )?{HELD}(\d+){HELD}",
    re.IGNORECASE,
)
ITEMS = ("bullet point", "list item", "bullet", "point", "item")
FEW = 8
"""So many words at most are read as a topic."""
DEFINES = re.compile(r"\b(?:is|are|refers? to|means?|denotes?|defined as|consists? of|known as)\b", re.IGNORECASE)
WHOLE_ANSWER = re.compile(r"(?:the |this )?(?:answer|text|response)", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """One thing that an instruction asks: its words with quotations held, the quotations, question and language."""

    clause: str
    quoted: tuple[str, ...]
    question: str
    language: str

    def plain(self, words: str) -> str:
        """`words` with their quotations."""
        return re.sub(rf"{HELD}(\d+){HELD}", lambda match: self.quoted[int(match[1])], words)


def located(words: str, blocks: Blocks, asked: Asked) -> list[Place]:
    """The places that `words` name, in order; whole paragraphs by all of their sentences.

    Raises CannotError where there is no such place.
    """
    words = words.strip(" ,:")
    if match := ONE_QUOTED.fullmatch(words):
        thing = (match["thing"] or "").lower()
        return _whole(blocks, _quoting(asked.quoted[int(match[2])], blocks), thing)
    for pattern, read in ((BY_ORDER, _by_order), (BY_NUMBER, _by_number)):
        if match := pattern.fullmatch(words):
            return read(match, blocks, asked)
    if match := BY_WORDS.fullmatch(words):
        return _by_words(match, blocks, asked)
    if len(words.split()) <= FEW and (found := on(asked.plain(words), blocks, asked)):
        return found
    raise CannotError(f"It is not clear which part of the answer \u201c{asked.plain(words)}\u201d is.")


def _by_order(match: re.Match[str], blocks: Blocks, asked: Asked) -> list[Place]:
    found: list[Place] = []
    groups = _groups(match["thing"], _scope(match["scope"], blocks, asked), blocks)
    for name in re.findall(ORDINAL, match["which"], re.IGNORECASE):
        start, number = ordinal(name), cardinal(match["number"] or "1")
        start = start if start >= 0 else len(groups) + start - number + 1
        if start < 0 or start + number > len(groups):
            raise _missing(match, asked)
        found += [place for group in groups[start : start + number] for place in group]
    return sorted(set(found))


def _by_number(match: re.Match[str], blocks: Blocks, asked: Asked) -> list[Place]:
    groups = _groups(match["thing"], _scope(match["scope"], blocks, asked), blocks)
    numbers = [int(number) for number in re.findall(r"\d+", match["which"])]
    if not all(1 <= number <= len(groups) for number in numbers):
        raise _missing(match, asked)
    return sorted({place for number in numbers for place in groups[number - 1]})


def _by_words(match: re.Match[str], blocks: Blocks, asked: Asked) -> list[Place]:
    thing, topic = match["thing"].lower(), asked.plain(match["topic"])
    if match["start"] or HELD in match["topic"]:
        return _whole(blocks, _quoting(topic, blocks, start=bool(match["start"])), thing)
    found = on(topic, blocks, asked)
    if thing == "definition":
        found = [place for place in found if DEFINES.search(at(blocks, place))][:1]
    if not found:
        raise CannotError(f"No sentence of the answer speaks of \u201c{topic}\u201d.")
    return _whole(blocks, found, thing)


def on(topic: str, blocks: Blocks, asked: Asked) -> list[Place]:
    """The sentences that have all terms of `topic`."""
    wanted = terms(topic, asked.language)
    if not wanted:
        return []
    return [place for place in places(blocks) if wanted <= terms(at(blocks, place), asked.language)]


def _quoting(text: str, blocks: Blocks, *, start: bool = False) -> list[Place]:
    wanted = " ".join(text.split()).strip(" .\u2026").casefold()
    found = [
        place
        for place in places(blocks)
        if wanted in (said := at(blocks, place).casefold()) or wanted in MARK.sub("", said)
    ]
    if start:
        found = [place for place in found if at(blocks, place).casefold().startswith(wanted)]
    if not found or not wanted:
        raise CannotError(f"The answer has no sentence with the words \u201c{text}\u201d.")
    return found


def _whole(blocks: Blocks, found: list[Place], thing: str) -> list[Place]:
    """The paragraphs of these places where a paragraph is meant, otherwise the places."""
    if thing != "paragraph":
        return found
    meant = {place[0] for place in found}
    return [place for place in places(blocks) if place[0] in meant]


def _scope(words: str | None, blocks: Blocks, asked: Asked) -> list[Place]:
    if words is None or WHOLE_ANSWER.fullmatch(words):
        return places(blocks)
    return located(words, blocks, asked)


def _groups(thing: str, scope: list[Place], blocks: Blocks) -> list[list[Place]]:
    """The places of each paragraph, or each sentence or, where there are lists, each item by itself."""
    if thing.lower() in ITEMS and any(block.mark for block in blocks):
        return [[place] for place in scope if blocks[place[0]].mark]
    if thing.lower() != "paragraph":
        return [[place] for place in scope]
    return [[place for place in scope if place[0] == number] for number in sorted({place[0] for place in scope})]


def _missing(match: re.Match[str], asked: Asked) -> CannotError:
    return CannotError(f"The answer has no \u201c{asked.plain(match[0])}\u201d.")
