"""Answers revised by rule: what an instruction on style asks for, done wholly or refused."""

import re
from dataclasses import replace
from functools import cache

from llm.asking import Material
from llm.errors import CannotError
from llm.extractive import arranging, shortening
from llm.extractive.finding import Asked
from llm.extractive.shortening import Act
from llm.extractive.structure import Blocks, blocks_of, written
from llm.extractive.wording import clauses, held

LONGEST = 300
UNKNOWN = (
    "No rule does what \u201c{clause}\u201d asks for. An answer can be shortened, made a list or paragraphs,"
    " its sentences can be removed, kept, moved or swapped, and words given in quotation marks can be added, replaced"
    " or removed."
)


def restyled(material: Material) -> str:
    """The previous answer revised as the instruction says; what it does not speak of stays as it was.

    Raises CannotError where no rule knows any part of what is asked, or where a rule cannot do it to this answer.
    """
    instruction, quoted = held(material.instruction)
    blocks = blocks_of(material.previous_answer)
    parts = clauses(instruction)
    if not blocks:
        raise CannotError("There is no answer yet that could be revised.")
    if not parts:
        return written(blocks)
    if max(map(len, parts)) > LONGEST:
        raise CannotError("The instruction is too long to be read by rule: words to be added go in quotation marks.")
    for clause in parts:
        blocks = _revised(blocks, Asked(clause, tuple(quoted), material.question, material.language))
    return written(blocks)


def _revised(blocks: Blocks, asked: Asked) -> Blocks:
    """The answer after the first rule that reads the clause and finds what it speaks of, or after the rules for its
    two halves; else its refusal."""
    refusal = None
    for pattern, act in _rules():
        if match := pattern.fullmatch(asked.clause):
            try:
                return act(blocks, match, asked)
            except CannotError as problem:
                refusal = refusal or problem
    for joint in re.finditer(r",?\s+and\s+", asked.clause):
        parts = asked.clause[: joint.start()], asked.clause[joint.end() :]
        if all(any(pattern.fullmatch(part) for pattern, _ in _rules()) for part in parts):
            for part in parts:
                blocks = _revised(blocks, replace(asked, clause=part))
            return blocks
    raise refusal or CannotError(UNKNOWN.format(clause=asked.plain(asked.clause)))


@cache
def _rules() -> tuple[tuple[re.Pattern[str], Act], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE), act) for pattern, act in (*arranging.RULES, *shortening.RULES))
