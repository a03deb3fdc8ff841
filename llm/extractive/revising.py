"""Revises an answer by rule: adds what was found to it, or shortens it. Anything else is refused."""

import re

from llm.call_errors import InstructionUnsupportedError
from llm.extractive.composing import joined
from llm.extractive.selection import Quote, size, values_of
from llm.extractive.sentences import SPACED_CITATION, cleaned, sentences
from llm.extractive.terms import repeats, terms
from llm.requests import AnswerMaterial

NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
SHORTEN = re.compile(
    rf"""
    (?:please\ |(?:can|could)\ you\ (?:please\ )?)*
    (?:shorten|condense|trim|cut|reduce|summari[sz]e|make|keep)
    (?:\ (?:it|this|(?:the|this|your)\ (?:whole\ )?(?:answer|text|response)))?
    (?:\ down)?
    (?:\ (?:(?:a\ (?:bit|little)|slightly|much|more)\ )*(?:shorter|briefer|short|brief|concise))?
    (?:\ (?:to|in|by|at)?\ ?(?:(?:about|around|at\ most|no\ more\ than|only|just|a\ maximum\ of)\ )*
       (?:(?P<half>half)(?:\ (?:as\ long|its\ length|the\ length))?
         |(?P<number>\d{{1,4}}|{"|".join(NUMBERS)})\ (?P<unit>words?|sentences?)(?:\ long)?))?
    """,
    re.IGNORECASE | re.VERBOSE,
)
GOAL_NAMED = re.compile(r"short|brief|concise|condense|trim|summari|half|words?\b|sentences?\b", re.IGNORECASE)
USUAL_SHARE = 0.6  # the share of its words that an answer keeps if the instruction names no length
REFUSED = (
    "Style instructions can only shorten this answer, for example \u201cMake it shorter\u201d or \u201cShorten it to"
    " three sentences\u201d. The answer is unchanged."
)


def with_information(material: AnswerMaterial) -> str:
    """Return the previous answer word for word, followed by a paragraph of what the summary adds to it."""
    language, previous = material.language, material.previous_answer
    said = [terms(sentence, language) for sentence in sentences(previous)]
    new = [one for one in sentences(material.summary) if not repeats(terms(cleaned(one), language), said)]
    if not new:
        raise InstructionUnsupportedError("The answer already says what was found for this instruction.")
    return f"{previous.rstrip()}\n\n{joined(new)}" if previous.strip() else joined(new)


def shortened(material: AnswerMaterial) -> str:
    """Return the previous answer with only its most relevant sentences, in their order and their paragraphs."""
    instruction = " ".join(material.instruction.split()).rstrip(" .!?")
    match = SHORTEN.fullmatch(instruction)
    if match is None or not GOAL_NAMED.search(instruction):
        raise InstructionUnsupportedError(REFUSED)
    paragraphs = re.split(r"\n\s*\n", material.previous_answer)
    parts = [(number, sentence) for number, text in enumerate(paragraphs) for sentence in sentences(text)]
    kept = _kept([sentence for _, sentence in parts], material, match)
    if not kept:
        raise InstructionUnsupportedError("No sentence of the answer is that short, and sentences cannot be rewritten.")
    if len(kept) == len(parts):
        raise InstructionUnsupportedError("The answer is already that short.")
    left: dict[int, list[str]] = {}
    for place in sorted(kept):
        number, sentence = parts[place]
        left.setdefault(number, []).append(sentence)
    return "\n\n".join(joined(group) for group in left.values())


def _kept(parts: list[str], material: AnswerMaterial, match: re.Match[str]) -> set[int]:
    """Return the places of the best sentences that fit the length asked for."""
    plain = [SPACED_CITATION.sub("", part) for part in parts]
    quotes = [Quote(0, 0, 2 * place, text, terms(text, material.language)) for place, text in enumerate(plain)]
    values = values_of(quotes, terms(material.question, material.language))
    ranked = sorted(range(len(parts)), key=lambda place: (-values[place], place))
    lengths = [size(text) for text in plain]
    limit = int(sum(lengths) * (0.5 if match["half"] else USUAL_SHARE))
    if match["number"]:
        limit = NUMBERS.get(match["number"].lower()) or int(match["number"])
        if match["unit"].lower().startswith("sentence"):
            return set(ranked[:limit])
    kept: set[int] = set()
    for place in ranked:
        if lengths[place] <= limit:
            kept.add(place)
            limit -= lengths[place]
    return kept
