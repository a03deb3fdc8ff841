"""Kinds of steps: one module per kind, found by the registry.

A kind says which keys its steps have in a study file, when a rater has passed one, and what its page shows and takes.
Its template is `way_in/steps/<key>.html`. Instances keep no state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING, Any

from django.http import QueryDict
from django.utils.translation import gettext

from config.registry import discover
from files.import_problems import FieldInvalidError
from parts.way_in.step_fields import StepField

if TYPE_CHECKING:
    from annotation.models import Question, Rater, Study
    from annotation.protocols import Protocol
    from parts.way_in.models import StepPassage

COMMON_KEYS = frozenset({"key", "kind", "title"})


@dataclass(frozen=True)
class EntryStep:
    """A step of a study: its key, its kind, and what the study file says of it."""

    key: str
    kind: EntryStepKind
    body: Mapping[str, Any]

    @property
    def title(self) -> str:
        return self.body.get("title") or gettext(self.kind.label)

    def option(self, name: str, default: Any) -> Any:
        return self.body.get(name, default)


@dataclass(frozen=True)
class Passages:
    """What is known of a rater's way: the digests of texts that they agreed to, and their attempts by step."""

    agreed: frozenset[str] = frozenset()
    attempts: Mapping[str, Sequence[StepPassage]] = field(default_factory=dict)

    def of(self, step: EntryStep) -> Sequence[StepPassage]:
        """The attempts at a step, first to last."""
        return self.attempts.get(step.key, ())

    def has_passed(self, step: EntryStep, since: int | None = None) -> bool:
        """Whether an attempt has passed, with guidelines of version `since` or later if that is given."""
        return any(
            one.outcome == "passed" and (since is None or (one.guidelines_version or 0) >= since)
            for one in self.of(step)
        )


@dataclass(frozen=True)
class Halt:
    """Why a rater cannot continue with a step now: `over` for good, until a time, or until a decision.

    `full`: the study has enough people of their group until somebody leaves.
    """

    over: bool = False
    full: bool = False
    until: datetime | None = None


@dataclass(frozen=True)
class DeclaredIn:
    """The study file that declares a step: its protocol, its questions, and the steps before this one."""

    protocol: Protocol
    questions: Sequence[Question]
    before: Sequence[Mapping[str, Any]] = ()


class RepliesInvalidError(ValueError):
    """A posted form of a step cannot be accepted; `errors` is {field: sentence}."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = dict(errors)


class EntryStepKind(ABC):
    """A kind of step."""

    key: str
    label: str
    about: str
    """What people do in such a step, in one sentence for researchers."""
    spec_keys: frozenset[str] = frozenset()
    fields: tuple[StepField, ...] = ()
    """The step's own fields on the page that edits it."""
    has_tasks = False
    """Whether such steps may consist of practice tasks on the desk."""
    asks_people = False
    """Whether the step has questions about the person."""

    @property
    def template(self) -> str:
        return f"way_in/steps/{self.key}.html"

    def has_changed(self, step: EntryStep, passages: Passages) -> bool:
        """Whether the rater took the step, which they must take now, as it was before a change."""
        return False

    def suits(self, protocol: Protocol) -> bool:
        """Whether studies of this protocol may have such a step."""
        return True

    def fields_in(self, protocol: Protocol) -> tuple[StepField, ...]:
        """The step's own fields in studies of this protocol."""
        return self.fields

    def has_practice(self, step: EntryStep) -> bool:
        """Whether this step consists of practice tasks."""
        return self.has_tasks

    def pool_of(self, step: EntryStep) -> str:
        """The pool of the step's practice tasks."""
        return ""

    def live_problems(self, step: EntryStep) -> Iterator[str]:
        """Yield sentences that say what is missing in a step's words before the study can go live."""
        yield from ()

    def problems(self, body: Mapping[str, Any], place: str, within: DeclaredIn) -> Iterator[FieldInvalidError]:
        """Yield what is wrong with a step's own keys; `place` names the step in messages."""
        yield from ()

    def is_passed(self, step: EntryStep, passages: Passages) -> bool:
        """Whether the rater has passed the step."""
        return passages.has_passed(step)

    def admits(self, step: EntryStep, passages: Passages) -> bool:
        """Whether a rater who is at this step may have the study's own tasks now."""
        return False

    def halt(self, step: EntryStep, passages: Passages, now: datetime) -> Halt | None:
        """Why a rater who has not passed the step cannot continue with it now, or None."""
        return None

    def context(self, step: EntryStep, study: Study, form: QueryDict | None) -> dict[str, Any]:
        """What the step's page shows, with a posted `form` that was refused."""
        return {}

    def synthetic_form(self, step: EntryStep, accuracy: float, random: Random) -> dict[str, Any]:
        """The fields that a synthetic rater of a dry run posts to `take`; `accuracy` is from 0 to 1."""
        return {}

    @abstractmethod
    def take(self, step: EntryStep, rater: Rater, form: QueryDict, now: datetime) -> None:
        """Write what a locked rater has posted, in the caller's transaction. Raises RepliesInvalidError."""


def step_kinds() -> Mapping[str, EntryStepKind]:
    """Return all kinds of steps by key."""
    return discover("step_kinds", "ENTRY_STEP")


def steps_of(study: Study) -> list[EntryStep]:
    """Return a study's steps in order."""
    return [EntryStep(body["key"], step_kinds()[body["kind"]], body) for body in study.recruiting.get("steps", ())]
