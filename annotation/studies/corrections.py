"""What a closed study still lets people change: a locked one takes corrections with a reason, an archived one nothing.

A correction is a change of what the study says or holds: its guidelines, its description, its items, ratings and
answers (imports, withdrawals, adjudications), and its reopening. The verb that makes one calls `check_correction` with
the study's locked row, and records the reason in its audit entry.
"""

from django.core.exceptions import PermissionDenied

from annotation.models.study import Study

LOCKED = "This study is locked. Give a reason for the correction."


class StudyRefusedError(Exception):
    """The study cannot take this step now; the message gives the reason and what to do first."""


class StudyArchivedError(PermissionDenied):
    """The study is archived, so nothing in it is changed. An owner can bring it back."""

    page = "archived"

    def __init__(self) -> None:
        super().__init__("This study is archived and can only be read. An owner can bring it back in its settings.")


def refuse_archived(study: Study) -> None:
    """Raise StudyArchivedError if the study, as it was read, is archived."""
    if study.archived_at is not None:
        raise StudyArchivedError


def check_correction(study: Study, reason: str) -> dict[str, str]:
    """What the audit entry of a correction says besides the change: its reason, if there is one.

    `study` is the study's locked row. Raises StudyRefusedError for a locked study without a reason, StudyArchivedError.
    """
    refuse_archived(study)
    given = reason.strip()
    if study.locked_at is not None and not given:
        raise StudyRefusedError(LOCKED)
    return {"reason": given} if given else {}
