"""A dry run: checks files as an import does, with the same code, and writes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count

from django.db.models import Model

from accounts.models import Person
from annotation.models import Study
from files.import_problems import ImportRefusedError
from files.line_reading import Watch
from files.reading.import_attempt import ImportAttempt, Tables
from files.reading.import_tries import record_try
from files.reading.line_import import LineTally
from files.reading.staging import Staging
from files.reading.study_updates import NoUpdate, StudyUpdate

NO_ROW = 2**62
"""Above all primary keys of the database."""


@dataclass(frozen=True)
class DryRun:
    """What an import of these files would do: the lines of each file by outcome, and why it would be refused."""

    tallies: Mapping[str, LineTally]
    added: Mapping[str, int]
    refused: ImportRefusedError | None


class DryStaging(Staging):
    """Keeps rows that are never written, under primary keys that no row will have."""

    def __init__(self) -> None:
        super().__init__()
        self._keys = count(NO_ROW)

    def next_ids(self, model: type[Model], count: int) -> list[int]:
        return [next(self._keys) for _ in range(count)]


def check_files(
    study: Study, tables: Tables, watch: Watch | None = None, *, actor: Person | None = None, via: str = ""
) -> DryRun:
    """Check what `add_to_study` would add. Holds no lock, so somebody may change the study at the same time."""
    return check_update(NoUpdate(study), tables, watch, actor=actor, via=via)


def check_update(
    update: StudyUpdate, tables: Tables, watch: Watch | None = None, *, actor: Person | None = None, via: str = ""
) -> DryRun:
    """Check what an import with `update` would add. Raises ImportRefusedError if the study cannot change.

    The audit says who had files checked for a blinded study, and how: `via`.
    """
    with DryStaging() as staging:
        attempt = ImportAttempt(update, update.preview(staging), None, "")
        refused: ImportRefusedError | None = None
        try:
            attempt.check(tables, watch)
        except ImportRefusedError as problem:
            refused = problem
        if attempt.target.codes.are_used:
            record_try(attempt.target.study, actor, via, attempt.result.digests, refused, is_dry=True)
        return DryRun(attempt.tallies, attempt.result.added, refused)
