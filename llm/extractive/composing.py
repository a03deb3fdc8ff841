"""Composes first answers and summaries from quoted sentences."""

import re
from collections.abc import Sequence

from llm.call_errors import InstructionUnsupportedError
from llm.extractive.selection import Length, Quote, quotes, selected
from llm.extractive.sentences import CLOSERS, TERMINAL, WIDE, sentences
from llm.extractive.terms import rarity, repeats, terms, topic, weight
from llm.requests import AnswerMaterial, SourcePassage

FIRST_ANSWER = Length(fewest=4, most=7, words=190)
SUMMARY = Length(fewest=1, most=3, words=100)
NAMED_PAPERS = re.compile(
    r"\bpapers?\s+\[?\d{1,3}\]?(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)\[?\d{1,3}\]?)*|\[\d{1,3}(?:\s*,\s*\d{1,3})*\]",
    re.IGNORECASE,
)


def first_answer(material: AnswerMaterial) -> str:
    """Compose an answer to the question from the passages, one paragraph per paper with several sentences."""
    found = quotes(material.passages, material.language)
    if not found:
        raise InstructionUnsupportedError(
            "The passages found for this question contain no sentence that can be quoted."
        )
    chosen = selected(found, terms(material.question, material.language), FIRST_ANSWER)
    return "\n\n".join(paragraph(group) for group in _by_paper(chosen))


def summary(material: AnswerMaterial) -> str:
    """Compose what the passages say about the instruction and the previous answer does not."""
    about = topic(material.instruction, material.language)
    said = [terms(sentence, material.language) for sentence in sentences(material.previous_answer)]
    found = quotes(_named_papers(material), material.language)
    new = [one for one in found if one.terms & about and not repeats(one.terms, said)]
    if not new:
        raise InstructionUnsupportedError(
            "The passages found for this instruction say nothing about it that the answer lacks."
        )
    return paragraph(selected(_closest(new, about), about, SUMMARY))


def paragraph(given: Sequence[Quote]) -> str:
    """Join sentences with their citations, in the order in which their papers have them."""
    first = {one.rank: number for number, one in reversed(list(enumerate(given)))}
    ordered = sorted(given, key=lambda one: (first[one.rank], one.place))
    return joined([cited(one.text, one.paper) for one in ordered])


def cited(sentence: str, paper: int) -> str:
    """Add the citation to a sentence, before its full stop unless a quotation mark or bracket follows that."""
    stop = TERMINAL.search(sentence, max(len(sentence) - 3, 0))
    at = stop.start() if stop and sentence.rstrip(CLOSERS) == sentence else len(sentence)
    return f"{sentence[:at]} [{paper}]{sentence[at:]}"


def joined(parts: Sequence[str]) -> str:
    """Join sentences into a paragraph, without spaces if the script has none."""
    text = ""
    for part in parts:
        text += part if not text or text[-1] in WIDE else f" {part}"
    return text


def _closest(given: Sequence[Quote], about: frozenset[str]) -> list[Quote]:
    """Return the sentences that cover at least half as much of `about` as the best one."""
    idf = rarity(one.terms for one in given)
    covered = [weight(one.terms & about, idf) for one in given]
    return [one for one, share in zip(given, covered, strict=True) if share >= max(covered) / 2]


def _named_papers(material: AnswerMaterial) -> Sequence[SourcePassage]:
    """Return the passages of the papers that the instruction names by number, or all if it names none of them."""
    matches = NAMED_PAPERS.findall(material.instruction)
    named = {int(number) for match in matches for number in re.findall(r"\d+", match)}
    return [passage for passage in material.passages if passage.number in named] or material.passages


def _by_paper(given: Sequence[Quote]) -> list[list[Quote]]:
    """Group sentences by paper; papers with a single sentence share the last paragraph."""
    groups: dict[int, list[Quote]] = {}
    for one in given:
        groups.setdefault(one.paper, []).append(one)
    several = [group for group in groups.values() if len(group) > 1]
    single = [one for group in groups.values() if len(group) == 1 for one in group]
    return [*several, single] if single else several
