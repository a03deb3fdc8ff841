"""Sections of study files that other apps bring: each is checked with the file and kept among the study's options.

In a file a section is a key of its own, such as `pace:`. One within the mapping `recruiting` of the file has both
names here, with a dot between them, and is kept in the study's `recruiting`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from config.parts import absent_part, parts
from config.strict_models import SettingsModel, place_of

if TYPE_CHECKING:
    from accounts.models import Person
    from annotation.models import Question, Study
    from annotation.protocols import Protocol as RatingProtocol

RECRUITING = "recruiting."
REASONS = {
    "missing": "is missing",
    "string_type": "must be text",
    "list_type": "must be a list",
    "dict_type": "must be a mapping of keys to values",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must have at least {min_length} entries",
    "int_type": "must be a number",
    "float_type": "must be a number",
}
"""What is said of pydantic's own errors; models say the others with `must_be`."""


@dataclass(frozen=True)
class FileFacts:
    """What a section must fit: the protocol and the questions of its file."""

    protocol: RatingProtocol
    questions: Sequence[Question]

    @property
    def keys(self) -> list[str]:
        return [question.key for question in self.questions]


def _nothing(study: Study, actor: Person | None) -> None:
    """What most sections do when a study goes live."""


def _all(value: Any) -> Any:
    """What copies have of most sections."""
    return value


class Mistake(NamedTuple):
    """What is wrong with a value: where, and why."""

    field: str
    reason: str


class HasPlace(Protocol):
    """A mistake, or an error that says the same."""

    @property
    def field(self) -> str: ...

    @property
    def reason(self) -> str: ...


Check = Callable[[Any, str, FileFacts], Iterator[HasPlace]]
"""Yields what is wrong with the value of a section that has this key, in a file with these facts."""


def by_model(model: type[SettingsModel]) -> Check:
    """Return the check of a section whose settings this model declares."""

    def check(value: Any, key: str, facts: FileFacts) -> Iterator[HasPlace]:
        try:
            settings = model.model_validate(value)
        except ValidationError as problem:
            for error in problem.errors(include_url=False, include_input=False):
                yield Mistake(".".join([key, *place_of(error)]), _reason(error))
            return
        for place, reason in settings.misfits(facts):
            yield Mistake(f"{key}.{place}" if place else key, reason)

    return check


@dataclass(frozen=True)
class StudySection:
    """A section by its key, and what checks its value: `by_model`, or a check of its own.

    `on_live` is called in the transaction in which a study goes live; it may raise StudyRefusedError. `copied` makes
    the value of a copy of the study, which has none of its raters. Copies for dry runs have only sections that are
    `in_dry_runs`.
    """

    key: str
    check: Check
    on_live: Callable[[Study, Person | None], None] = _nothing
    copied: Callable[[Any], Any] = _all
    in_dry_runs: bool = True

    def problems(self, value: Any, facts: FileFacts) -> Iterator[HasPlace]:
        """Yield what is wrong with a value."""
        return self.check(value, self.key, facts)


def _reason(error: ErrorDetails) -> str:
    return REASONS[error["type"]].format_map(error.get("ctx", {})) if error["type"] in REASONS else error["msg"]


@cache
def _sections() -> Mapping[str, StudySection]:
    return {section.key: section for part in parts() for section in part.sections}


@cache
def study_sections() -> Mapping[str, StudySection]:
    """The sections that are keys of the file itself, by key."""
    return {key: section for key, section in _sections().items() if not key.startswith(RECRUITING)}


@cache
def recruiting_sections() -> Mapping[str, StudySection]:
    """The sections under `recruiting`, by their key there."""
    own = {key: section for key, section in _sections().items() if key.startswith(RECRUITING)}
    return {key.removeprefix(RECRUITING): section for key, section in own.items()}


def without_sections(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a study that are no sections."""
    sections = sections_in(options)
    return {key: value for key, value in options.items() if key not in sections}


def sections_in(options: Mapping[str, Any]) -> dict[str, Any]:
    """The sections among the options of a study, in the order of the sections; those of absent parts come last."""
    absent = (key for key in options if absent_part(key) is not None)
    return {key: options[key] for key in (*study_sections(), *absent) if key in options}


def sections_copied(body: Mapping[str, Any], *, dry_run: bool = False) -> dict[str, Any]:
    """The body of a study file with its sections as a copy of the study has them, which may be for a dry run."""
    copied = _copied(body, study_sections(), dry_run)
    if "recruiting" in body:
        copied["recruiting"] = _copied(body["recruiting"], recruiting_sections(), dry_run)
    return copied


def _copied(body: Mapping[str, Any], sections: Mapping[str, StudySection], dry_run: bool) -> dict[str, Any]:
    left_out = {key for key, section in sections.items() if dry_run and not section.in_dry_runs}
    kept = {key: value for key, value in body.items() if key not in left_out}
    return {key: sections[key].copied(value) if key in sections else value for key, value in kept.items()}


def begin_sections(study: Study, actor: Person | None) -> None:
    """Tell all sections that the study goes live. Raises StudyRefusedError."""
    for section in _sections().values():
        section.on_live(study, actor)
