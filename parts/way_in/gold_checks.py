"""Whether answers to practice tasks are right: against gold, by the rules of a step, in plain Python.

A web process decides this, so nothing here needs numpy; a test compares alpha with the one of `agreement`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from annotation.models import Question, Rating
from annotation.questions import question_types
from config.model_fields import canonical_json

FOUND = 1.0
"""The share of the gold spans that an answer must mark, if the rule does not say."""
INSIDE = 0.5
"""The share of the marked characters that must be in gold spans: who marks everything has found nothing."""
MISSING = "missing"
"""No answer, unlike all plain values, which are JSON."""
METRIC = (Rating.Level.ORDINAL, Rating.Level.INTERVAL)


class Pair(NamedTuple):
    """The value of an answer and the right one, for one unit."""

    given: Any
    gold: Any


def gold_of(question: Question, gold: Mapping[str, Any], keys: Sequence[str], per: str) -> Any:
    """Return the right answer to a question for a task that shows these outputs, in the shape of answers; or None.

    Gold of a question about single outputs is that of every output, or {output: value}.
    """
    value = gold.get(question.key)
    if value is None:
        return None
    kind = question_types()[question.type]
    each = question.spec.get("per", per) == "output" and len(keys) > 1
    if not isinstance(value, dict) or kind.needs_texts or kind.needs_outputs:
        return dict.fromkeys(keys, value) if each else value
    named = {key: value[key] for key in keys if key in value}
    return (named or None) if each else next(iter(named.values()), None)


def is_right(question: Question, given: Any, gold: Any, rule: Mapping[str, Any]) -> bool:
    """Whether an answer agrees with gold: equal, or `within` a distance, or with a share of the gold spans `found`."""
    if isinstance(gold, dict) and isinstance(given, dict) and "spans" not in gold and gold.keys() <= given.keys():
        return all(is_right(question, given[key], value, rule) for key, value in gold.items())
    if marks_spans(question):
        return _found(given, gold) >= rule.get("found", FOUND) and _inside(given, gold) >= INSIDE
    within = rule.get("within")
    if within is not None:
        one, other = _number(question, given), _number(question, gold)
        return one is not None and other is not None and abs(one - other) <= within
    return given is not None and canonical_json(given) == canonical_json(gold)


def marks_spans(question: Question) -> bool:
    """Whether answers to the question are marked spans."""
    return question_types()[question.type].level == Rating.Level.SPAN


def _number(question: Question, value: Any) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    return None if value is None or isinstance(value, dict | list) else question_types()[question.type].number(value)


def _found(given: Any, gold: Any) -> float:
    """Return the share of gold spans that a marked span overlaps; 1 if gold has none and nothing is marked."""
    wanted, marked = _spans(gold), _spans(given)
    if not wanted:
        return 0.0 if marked else 1.0
    met = [any(_overlap(one, other) for other in marked) for one in wanted]
    return sum(met) / len(met)


def _inside(given: Any, gold: Any) -> float:
    """Return the share of the marked characters that are in gold spans; 1 if nothing is marked."""
    wanted, marked = _characters(gold), _characters(given)
    return len(marked & wanted) / len(marked) if marked else 1.0


def _characters(value: Any) -> set[tuple[Any, int]]:
    """The characters that spans cover, each once, by output and place."""
    return {(one.get("output"), place) for one in _spans(value) for place in range(one["start"], one["end"])}


def _spans(value: Any) -> list[Mapping[str, Any]]:
    return list(value["spans"]) if isinstance(value, dict) and "spans" in value else []


def _overlap(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return one.get("output") == other.get("output") and one["start"] < other["end"] and other["start"] < one["end"]


def pairs_of(given: Any, gold: Any) -> list[Pair]:
    """Return the single values of an answer beside those of gold."""
    if isinstance(gold, dict):
        return [Pair(given.get(key) if isinstance(given, dict) else None, value) for key, value in gold.items()]
    return [Pair(given, gold)]


def alpha_against_gold(pairs: Iterable[Pair], is_numeric: bool) -> float | None:
    """Return Krippendorff's alpha between a rater and gold, or None if it is undefined.

    Two coders; the distance is squared for numbers, and 0 or 1 for anything else (Krippendorff 2019, chapter 12). An
    answer that is missing is a disagreement: a value of its own or, of numbers, the one furthest from gold that occurs.
    """

    def distance(one: Any, other: Any) -> float:
        return (one - other) ** 2 if is_numeric else float(one != other)

    pairs = list(pairs)
    occurring = [_plain(value) for pair in pairs for value in pair if value is not None]

    def given_in(pair: Pair) -> Any:
        if pair.given is not None:
            return _plain(pair.given)
        return max(occurring, key=lambda value: distance(value, _plain(pair.gold))) if is_numeric else MISSING

    known = [(given_in(one), _plain(one.gold)) for one in pairs]
    values = [value for pair in known for value in pair]
    total = len(values)

    counts = Counter(values)
    expected = sum(
        counts[one] * counts[other] * distance(one, other) for one in counts for other in counts
    ) / (total * (total - 1)) if total > 1 else 0.0  # fmt: skip
    if not expected:
        return None
    observed = sum(2 * distance(one, other) for one, other in known) / total
    return 1 - observed / expected


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else canonical_json(value)


def is_numeric(question: Question) -> bool:
    """Whether distances between answers to the question are those of numbers."""
    return question_types()[question.type].level in METRIC
