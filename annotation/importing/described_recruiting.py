"""The key `recruiting` of a study file, whose sections other apps check."""

from collections.abc import Sequence
from typing import Any

from annotation.importing.import_problems import FieldInvalidError, FileProblems, quoted, unknown
from annotation.models import Question
from annotation.protocols import Protocol
from config.registry import bound


def checked_recruiting(
    value: Any, protocol: Protocol, questions: Sequence[Question], problems: FileProblems
) -> dict[str, Any] | None:
    """Return the sections, each checked by the app that binds it in SECTIONS of its `study_file_sections`.

    None if the file says nothing. What is wrong is added to `problems`.
    """
    if value is None:
        return None
    if not isinstance(value, dict):
        problems.add(0, "recruiting", "must be a mapping of keys to values")
        return None
    known = {key: check for found in bound("study_file_sections", "SECTIONS") for key, check in found.items()}
    checked: dict[str, Any] = {}
    for key, section in value.items():
        if key not in known:
            problems.add(0, f"recruiting.{quoted(key)}", unknown("key", key, known))
            continue
        try:
            checked[key] = known[key](section, f"recruiting.{key}", protocol, questions)
        except FieldInvalidError as problem:
            problems.add(0, problem.field, problem.reason)
    return checked
