"""Answers with more information: what was found, put into the answer where the instruction says."""

import re

from llm.asking import Material
from llm.errors import CannotError
from llm.extractive.arranging import inserted
from llm.extractive.composing import joined
from llm.extractive.finding import Asked, located
from llm.extractive.sentences import cleaned, sentences
from llm.extractive.structure import blocks_of, written
from llm.extractive.terms import repeats, terms
from llm.extractive.wording import ORDINAL

PARAGRAPH = rf"the {ORDINAL} paragraph"
AT_THE_START = re.compile(
    r"\b(?:(?:at|to|in) the (?:very )?(?:beginning|start|top)|as (?:the|a) first (?:sentence|paragraph)"
    r"|(?:start|begin) (?:the answer |it )?(?:with|by))\b",
    re.IGNORECASE,
)
INSIDE = re.compile(
    rf"\b(?:(?:at|to) the (?P<edge>beginning|start|top|end) of|in|into|to) (?P<where>{PARAGRAPH})", re.IGNORECASE
)
BESIDE = re.compile(
    rf"\b(?P<side>before|after) (?P<where>(?:the {ORDINAL} sentence of )?{PARAGRAPH}|the {ORDINAL} sentence)\b",
    re.IGNORECASE,
)


def with_information(material: Material) -> str:
    """The previous answer word for word, and what the summary adds to it.

    The addition is a paragraph of its own at the end, or at the start or at the paragraph that the instruction
    names where the answer has it.
    """
    language, kept = material.language, material.previous_answer
    said = [terms(sentence, language) for sentence in sentences(kept)]
    new = [one for one in sentences(material.summary) if not repeats(terms(cleaned(one), language), said)]
    if not new:
        raise CannotError("What was found for this instruction is in the answer already.")
    added = joined(new)
    if not kept.strip():
        return added
    if placed := _at_named_place(added, material):
        return placed
    if AT_THE_START.search(material.instruction):
        return f"{added}\n\n{kept}"
    return f"{kept.rstrip()}\n\n{added}"


def _at_named_place(added: str, material: Material) -> str | None:
    """The answer with the addition in or beside the paragraph that is named; None where none is, or there is none."""
    beside = BESIDE.search(material.instruction)
    place = beside or INSIDE.search(material.instruction)
    if place is None:
        return None
    blocks = blocks_of(material.previous_answer)
    try:
        target = located(place["where"], blocks, Asked("", (), material.question, material.language))
    except CannotError:
        return None
    if beside:
        alone = beside["where"].lower().endswith("paragraph") and "sentence" not in beside["where"].lower()
        return written(inserted(blocks, added, beside["side"].lower(), target, alone=alone))
    at_start = (place["edge"] or "end").lower() != "end"
    return written(inserted(blocks, added, "before" if at_start else "after", target, alone=False))
