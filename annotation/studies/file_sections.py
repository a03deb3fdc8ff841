"""Sections of study files that other apps bring: each is checked with the file and kept among the study's options.

In a file a section is a key of its own, such as `stopping:`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from config.parts import parts

if TYPE_CHECKING:
    from accounts.models import Person
    from annotation.models import Question, Study
    from annotation.protocols import Protocol


def _nothing(study: Study, actor: Person | None) -> None:
    """What most sections do when a study goes live."""


def _all(value: Any) -> Any:
    """What copies have of most sections."""
    return value


@dataclass(frozen=True)
class StudySection:
    """A section by its key. `why_not(value, protocol, questions)` says what is wrong with a value, or returns None.

    `on_live` is called in the transaction in which a study goes live; it may raise StudyRefusedError. `copied` makes
    the value of a copy of the study, which has none of its raters.
    """

    key: str
    why_not: Callable[[Any, Protocol, Sequence[Question]], str | None]
    on_live: Callable[[Study, Person | None], None] = _nothing
    copied: Callable[[Any], Any] = _all


@cache
def study_sections() -> Mapping[str, StudySection]:
    """All sections by key."""
    return {section.key: section for part in parts() for section in part.sections}


def without_sections(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a study that are no sections."""
    return {key: value for key, value in options.items() if key not in study_sections()}


def sections_in(options: Mapping[str, Any]) -> dict[str, Any]:
    """The sections among the options of a study, in the order of the sections."""
    return {key: options[key] for key in study_sections() if key in options}


def sections_copied(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body of a study file with its sections as a copy of the study has them."""
    sections = study_sections()
    return {key: sections[key].copied(value) if key in sections else value for key, value in body.items()}


def begin_sections(study: Study, actor: Person | None) -> None:
    """Tell all sections that the study goes live. Raises StudyRefusedError."""
    for section in study_sections().values():
        section.on_live(study, actor)
