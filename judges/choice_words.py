"""Choices between two outputs that a prompt numbers 1 and 2 in the order shown."""

from collections.abc import Sequence

from annotation.questions.preference import TIE
from judges.protocol import CaseOutput, CaseQuestion

PLACES = ("1", "2")


def choice_words(question: CaseQuestion) -> tuple[str, ...]:
    """Return the words among which a judge chooses; `tie` only if the question allows ties."""
    return (*PLACES, TIE) if question.takes_ties else PLACES


def chosen_key(outputs: Sequence[CaseOutput], word: str) -> str:
    """Return the key of the output that a word chooses, or "tie"."""
    return TIE if word == TIE else outputs[PLACES.index(word)].key


def word_for(outputs: Sequence[CaseOutput], value: str) -> str | None:
    """Return the word that chooses `value`, a key or "tie", among two outputs, or None if none does."""
    keys = [output.key for output in outputs]
    if len(keys) != len(PLACES) or value not in (*keys, TIE):
        return None
    return TIE if value == TIE else PLACES[keys.index(value)]
