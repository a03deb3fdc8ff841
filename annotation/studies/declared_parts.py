"""Parts of a study file that an app above this one reads: how it checks them, and what follows from a change."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from accounts.models import Person
from annotation.models import Question, Study
from annotation.protocols import Protocol
from config.registry import bound

if TYPE_CHECKING:
    from annotation.importing.import_problems import FieldInvalidError


class DeclaredPart(ABC):
    """How an app reads the key `recruiting` of a study file; its module `declared_part` binds an instance to PART."""

    @abstractmethod
    def problems(self, value: Any, protocol: Protocol, questions: Sequence[Question]) -> "Iterator[FieldInvalidError]":
        """Yield what is wrong with the value of a file with these questions."""

    def live_problems(self, study: Study) -> Iterator[str]:
        """Yield sentences that say what the study lacks before it can go live."""
        yield from ()

    def changed(self, study: Study) -> None:
        """Follow a change of the locked study's `recruiting` in the same transaction."""

    def has_qualification(self, study: Study) -> bool:
        """Whether people have to pass a test of the guidelines before their first task."""
        return False

    def meaning_changed(self, study: Study, version: int, actor: Person | None) -> None:
        """Follow a version of the locked study's guidelines that changes what answers mean, in the same transaction."""


def declared_parts() -> tuple[DeclaredPart, ...]:
    """Return the parts of all apps."""
    return bound("declared_part", "PART")


def recruiting_changed(study: Study) -> None:
    """Tell each app that the locked study's `recruiting` has changed, in the same transaction."""
    for part in declared_parts():
        part.changed(study)


def has_qualification(study: Study) -> bool:
    """Whether people qualify for the study, and would have to do it again if its guidelines changed their meaning."""
    return any(part.has_qualification(study) for part in declared_parts())


def meaning_changed(study: Study, version: int, actor: Person | None) -> None:
    """Tell each app that this version of the guidelines changes what answers mean, in the same transaction."""
    for part in declared_parts():
        part.meaning_changed(study, version, actor)
