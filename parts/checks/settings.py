"""The settings of hidden checks in a study file: `recruiting: checks:`."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.models import Question
from annotation.protocols import Protocol
from files.import_problems import FieldInvalidError, unknown
from parts.checks.conduct import FIGURES
from parts.checks.damaging import DAMAGES
from parts.checks.draws import KINDS

KEYS = ("first", *KINDS, "tolerance", "rules")
KEYS_OF: Mapping[str, Collection[str]] = {
    "gold": ("share",), "twins": ("share", "after", "damage", "questions", "lower_is_better"),
    "repeats": ("share", "after"),
}  # fmt: skip
AFTER = 10
"""How many of a rater's tasks come between a task and its repeat or twin, if the study does not say."""
MOST_SHARE = 0.5
MOST_NUMBER = 10_000
ACTIONS = ("pause", "ask")
RULE_KEYS = ("figure", "below", "above", "of", "do")
MOST_OF_RULE: Mapping[str, float] = {"time": 100, "in_a_row": MOST_NUMBER}
"""What a rule's figure may be compared with at most; shares with 1."""
ABOVE = frozenset({"in_a_row", "same_forms"})
"""The figures of which more is worse."""
MOST_RULES = 20
SHARE = "must be a number above 0"
"""What the share of a kind must be."""
WHOLE = f"must be a whole number from 0 to {MOST_NUMBER}"


def checked_checks(value: Any, field: str, protocol: Protocol, questions: Sequence[Question]) -> dict[str, Any]:
    """Return the settings of checks, which fit the study. Raises FieldInvalidError."""
    checks = _mapping(value, field, KEYS)
    if not protocol.flow.offers_every_task or protocol.flow.has_own_pages:
        raise FieldInvalidError(field, "cannot be used with this protocol, whose tasks cannot be copied")
    _whole(checks, "first", field)
    keys = {question.key for question in questions}
    for kind in KINDS:
        if kind in checks:
            _check_kind(_mapping(checks[kind], f"{field}.{kind}", KEYS_OF[kind]), f"{field}.{kind}", keys)
    if not any(kind in checks for kind in KINDS):
        raise FieldInvalidError(field, f"must have at least one of {', '.join(KINDS)}")
    if sum(checks[kind]["share"] for kind in KINDS if kind in checks) > MOST_SHARE:
        raise FieldInvalidError(field, f"must have shares that add up to {MOST_SHARE} or less")
    for key, most in _mapping(checks.get("tolerance", {}), f"{field}.tolerance", keys).items():
        if not _is_number(most) or most < 0:
            raise FieldInvalidError(f"{field}.tolerance.{key}", "must be a number, 0 or more")
    _check_rules(checks.get("rules", []), f"{field}.rules", checks)
    return checks


def _check_kind(given: dict[str, Any], field: str, keys: Collection[str]) -> None:
    if not _is_number(given.get("share")) or not 0 < given["share"] <= MOST_SHARE:
        raise FieldInvalidError(f"{field}.share", f"{SHARE} and at most {MOST_SHARE}")
    _whole(given, "after", field)
    for name, known in (("damage", tuple(DAMAGES)), ("questions", keys), ("lower_is_better", keys)):
        found = given.get(name, [])
        if not isinstance(found, list) or (name != "lower_is_better" and name in given and not found):
            raise FieldInvalidError(f"{field}.{name}", "must be a list")
        for one in found:
            if not isinstance(one, str) or one not in known:
                raise FieldInvalidError(f"{field}.{name}", f"must name some of {', '.join(sorted(known))}")


def _check_rules(rules: Any, field: str, checks: Mapping[str, Any]) -> None:
    if not isinstance(rules, list) or len(rules) > MOST_RULES:
        raise FieldInvalidError(field, f"must be a list of at most {MOST_RULES} rules")
    for place, given in enumerate(rules):
        here = f"{field}.{place}"
        rule = _mapping(given, here, RULE_KEYS)
        known = {kind for kind in KINDS if kind in checks}.union(FIGURES)
        figure = rule.get("figure")
        if not isinstance(figure, str) or figure not in known:
            words = f"must be a kind of check that the study has, or one of {', '.join(FIGURES)}"
            raise FieldInvalidError(f"{here}.figure", words)
        than, other = ("above", "below") if figure in ABOVE else ("below", "above")
        most = MOST_OF_RULE.get(figure, 1)
        if other in rule:
            raise FieldInvalidError(f"{here}.{other}", f"is not for {figure}, whose rules have {than}")
        if not _is_number(rule.get(than)) or not 0 < rule[than] <= most:
            raise FieldInvalidError(f"{here}.{than}", f"must be a number above 0 and at most {most:g}")
        if type(rule.get("of")) is not int or not 1 <= rule["of"] <= MOST_NUMBER:
            raise FieldInvalidError(f"{here}.of", f"must be a whole number from 1 to {MOST_NUMBER}")
        if rule.get("do") not in ACTIONS:
            raise FieldInvalidError(f"{here}.do", f"must be {' or '.join(ACTIONS)}")


def _mapping(value: Any, field: str, known: Collection[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise FieldInvalidError(field, "must be a mapping of keys to values")
    for key in value:
        if key not in known:
            raise FieldInvalidError(f"{field}.{key}", unknown("key", key, known))
    return value


def _whole(given: Mapping[str, Any], key: str, field: str) -> None:
    if key in given and (type(given[key]) is not int or not 0 <= given[key] <= MOST_NUMBER):
        raise FieldInvalidError(f"{field}.{key}", WHOLE)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)
