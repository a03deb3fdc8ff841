"""The section `dry_run`, by which a study is known as a dry run wherever it goes, also through files."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models import Question
from annotation.protocols import Protocol

OF = "of"


def mark_of(slug: str) -> Mapping[str, str]:
    """The section of a copy of the study called `slug`."""
    return {OF: slug}


def why_no_mark(value: Any, protocol: Protocol, questions: Sequence[Question]) -> str | None:
    """What is wrong with a section, or None."""
    if not isinstance(value, dict) or set(value) != {OF} or not isinstance(value[OF], str):
        return "must be a mapping with the key of: the slug of the study that was copied"
    return None
