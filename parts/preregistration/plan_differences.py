"""What a study did differently from its registered plan."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

ABSENT = "none"
WORDS = {"protocol": "Protocol", "language": "Language", "raters_per_task": "Raters per task"}


@dataclass(frozen=True)
class PlanDifference:
    """One thing that was planned otherwise."""

    what: str
    planned: str
    done: str


def plan_differences(plan: Mapping[str, Any], done: Mapping[str, Any]) -> list[PlanDifference]:
    """All differences between a registered plan and the facts of now, in the order of the plan."""
    return list(_differences(plan, done))


def _differences(plan: Mapping[str, Any], done: Mapping[str, Any]) -> Iterator[PlanDifference]:
    first = done["first_answer_at"]
    if first is not None and first < plan["registered_at"]:
        yield PlanDifference("First answer", f"after {plan['registered_at']}", first)
    for key, what in WORDS.items():
        if plan[key] != done[key]:
            yield PlanDifference(what, _text(plan[key]), _text(done[key]))
    planned, now = plan["items"], done["items"]
    if planned["count"] != now["count"]:
        yield PlanDifference("Number of items", _text(planned["count"]), _text(now["count"]))
    elif planned["sha256"] != now["sha256"]:
        yield PlanDifference("Content of items", f"SHA-256 {planned['sha256']}", f"SHA-256 {now['sha256']}")
    yield from _questions(plan["questions"], done["questions"])
    yield from _guidelines(plan["guidelines"], done["guidelines"], done["answers_by_guidelines"])
    for key in sorted(plan["options"].keys() | done["options"].keys()):
        pair = plan["options"].get(key), done["options"].get(key)
        if pair[0] != pair[1]:
            yield PlanDifference(f"Option {key}", *map(_text, pair))


def _questions(planned: list[Any], done: list[Any]) -> Iterator[PlanDifference]:
    before, after = ({one["key"]: one for one in some} for some in (planned, done))
    for key in [*before, *(key for key in after if key not in before)]:
        if before.get(key) != after.get(key):
            yield PlanDifference(f"Question {key}", _text(before.get(key)), _text(after.get(key)))
    if set(before) == set(after) and list(before) != list(after):
        yield PlanDifference("Order of questions", ", ".join(before), ", ".join(after))


def _guidelines(planned: Any, now: Any, answers: Mapping[str, int]) -> Iterator[PlanDifference]:
    if planned != now:
        yield PlanDifference("Guidelines", *(_version(one) for one in (planned, now)))
    number = str(planned["version"]) if planned else "None"
    others = {version: count for version, count in answers.items() if version not in (number, "None")}
    if others:
        told = ", ".join(f"{count} under version {version}" for version, count in others.items())
        yield PlanDifference("Answers", f"all under version {number}" if planned else "without guidelines", told)


def _version(guidelines: Any) -> str:
    return f"version {guidelines['version']}, SHA-256 {guidelines['sha256']}" if guidelines else "none"


def _text(value: Any) -> str:
    if value is None:
        return ABSENT
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
