"""The keys `steps` and `on_withdrawal` under `recruiting` of a study file, and how they are checked."""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.studies.file_sections import FileFacts, StudySection
from config.text_validation import TextRefusedError, check_id
from files.import_problems import FieldInvalidError, quoted, unknown
from parts.way_in.entry_step import COMMON_KEYS, DeclaredIn, step_kinds
from parts.way_in.leaving import ON_WITHDRAWAL
from parts.way_in.models import ConsentVersion

MOST_STEPS = 20
LONGEST_KEY = 100
SINCE = "since_guidelines"
"""The key of steps whose attempts count from a version of the guidelines on."""


def _on_withdrawal(value: Any, field: str, *_: object) -> Iterator[FieldInvalidError]:
    if value not in ConsentVersion.OnWithdrawal.values:
        yield FieldInvalidError(field, f"must be keep or erase, not {quoted(value)}")


def _steps(value: Any, field: str, facts: FileFacts) -> Iterator[FieldInvalidError]:
    if not isinstance(value, list) or len(value) > MOST_STEPS:
        yield FieldInvalidError(field, f"must be a list of at most {MOST_STEPS} steps")
        return
    for number, step in enumerate(value):
        before = [earlier for earlier in value[:number] if isinstance(earlier, dict)]
        yield from _step_problems(step, number, DeclaredIn(facts.protocol, facts.questions, before))


def _step_problems(step: Any, number: int, within: DeclaredIn) -> Iterator[FieldInvalidError]:
    place = f"recruiting.steps.{number}"
    if not isinstance(step, dict):
        yield FieldInvalidError(place, "must be a mapping of keys to values")
        return
    try:
        key = check_id(step.get("key"), f"{place}.key")
    except TextRefusedError as problem:
        yield FieldInvalidError(problem.place, problem.reason)
        return
    place = f"step {key}"
    if len(key) > LONGEST_KEY:
        yield FieldInvalidError(place, f"key must have at most {LONGEST_KEY} characters")
    if any(one.get("key") == key for one in within.before):
        yield FieldInvalidError(place, "has the key of another step")
    kind = step_kinds().get(step["kind"]) if isinstance(step.get("kind"), str) else None
    if kind is None:
        offered = ", ".join(step_kinds())
        yield FieldInvalidError(place, f"kind must be one of {offered}, not {quoted(step.get('kind'))}")
        return
    known = kind.spec_keys | COMMON_KEYS
    for name in step:
        if name not in known:
            yield FieldInvalidError(place, unknown(f"key {quoted(name)} for a step of kind {kind.key}", name, known))
    title = step.get("title")
    if title is not None and not (isinstance(title, str) and title.strip()):
        yield FieldInvalidError(place, "title must be text")
    yield from kind.problems(_Lenient(step), place, within)


class _Lenient(dict[str, Any]):
    """A step as its kind checks it: a key without a value is absent."""

    def __init__(self, step: Mapping[str, Any]) -> None:
        super().__init__({key: value for key, value in step.items() if value is not None})


DECLARED = (
    StudySection(f"recruiting.{ON_WITHDRAWAL}", _on_withdrawal),
    StudySection("recruiting.steps", _steps),
)
