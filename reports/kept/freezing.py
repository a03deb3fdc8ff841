"""Keeps a report for good, under a key of its own, as it was when somebody froze it; or says why it is gone."""

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from annotation.studies.locking import lock_study
from config.background.rows import Status
from config.database_clock import database_now
from reports.kept.kept_reports import Kept
from reports.models import KeptReport

KEY_LENGTH = 16


class NothingToFreezeError(Exception):
    """There are no figures yet."""


def frozen_key(slug: str, digest: str, figures: str) -> str:
    """The key of a report: a digest of its study, the reader's choices and its figures."""
    return hashlib.sha256("\n".join((slug, digest, figures)).encode()).hexdigest()[:KEY_LENGTH]


def freeze(kept: Kept, person: Person) -> KeptReport:
    """Copy the newest figures under a key made of their content; the same figures get the same key.

    Raises NothingToFreezeError.
    """
    if kept.done is None:
        raise NothingToFreezeError
    with transaction.atomic():
        lock_study(kept.study.pk, archived=True)  # an erasure holds this lock until it has deleted what would be copied
        newest = KeptReport.objects.filter(study=kept.study, kind=kept.done.kind, digest=kept.done.digest)
        done = newest.filter(status=Status.DONE, frozen_as=None).first()
        if done is None:
            raise NothingToFreezeError
        figures = done.figures
        key = frozen_key(kept.study.slug, done.digest, figures)
        found = KeptReport.objects.filter(study=kept.study, frozen_as=key).first()
        if found is not None:
            return found
        record("report frozen", key, actor=person, study=kept.study.slug)
        return KeptReport.objects.create(
            study=kept.study, kind=done.kind, choices=done.choices, digest=done.digest, state=done.state,
            figures=figures, read_at=done.read_at,
            seconds=done.seconds, status=Status.DONE, started_at=done.started_at, ended_at=database_now(),
            frozen_as=key,
        )  # fmt: skip


def empty_frozen(study: Study, reason: str, which: Mapping[str, Any] = MappingProxyType({})) -> int:
    """Turn the study's frozen reports into tombstones: their figures go, the reason stays. Return how many.

    `which` are conditions for some of them.
    """
    kept = KeptReport.objects.filter(study=study, removed_at=None, **which).exclude(frozen_as=None)
    return kept.update(
        status=Status.FAILED, figures="", reason=reason, removed_for=reason, removed_at=database_now(), token=None
    )
