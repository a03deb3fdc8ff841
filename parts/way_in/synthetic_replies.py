"""What a synthetic rater says about themselves in screens and questionnaires."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from parts.way_in.personal_questions import PREFIX

MOST_NUMBER = 50
"""The largest number that is made up, if the question has no rule."""
TEXT = "Made up in a dry run."


def synthetic_replies(questions: Sequence[Mapping[str, Any]], accuracy: float, random: Random) -> dict[str, Any]:
    """The fields of a form: each answer fits with the probability `accuracy`, else it is anything."""
    fields = {}
    for question in questions:
        reply = _fitting if random.random() < accuracy else _any
        fields[f"{PREFIX}{question['key']}"] = reply(question, random)
    return fields


def _any(question: Mapping[str, Any], random: Random) -> str:
    if question.get("choices"):
        return str(random.choice(question["choices"]))
    return str(random.randint(0, MOST_NUMBER)) if question.get("number") else TEXT


def _fitting(question: Mapping[str, Any], random: Random) -> str:
    choices = question.get("choices") or ()
    fits = [one for one in choices if one in question.get("fits", choices)]
    lowest = question.get("at_least")
    if lowest is not None:
        fits = [one for one in fits if choices.index(one) >= choices.index(lowest)]
    if fits:
        return str(random.choice(fits))
    if question.get("number"):
        low = question.get("least", 0)
        return str(random.randint(-(-low // 1), max(-(-low // 1), question.get("most", low + MOST_NUMBER) // 1)))
    return _any(question, random)
