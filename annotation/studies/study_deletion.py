"""Deletes a study at once if it is small, and otherwise by workers, so that no page waits for it."""

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef

from accounts.audited_erasure import ErasureRefusedError
from accounts.auditing import record
from accounts.models import Person
from annotation.models import Item, Study, StudyDeletion
from annotation.studies.kept_counts import MOST_AT_ONCE, exceeds, is_large
from annotation.studies.locking import lock_study
from annotation.studies.study_erasure import erase_study
from config.background.kinds import works
from config.background.rows import WAITING
from config.background.waking import enqueue

WORK_KEY = "study_deletion"
LIVE = "This study is {}. Close it first."
UNDER_WAY = "This study is being deleted already."


def delete_study(study: Study, actor: Person | None) -> StudyDeletion | None:
    """Delete a draft or closed study with all its rows. Return the work that will do it, or None if it is done.

    Raises ErasureRefusedError.
    """
    if study.status not in (Study.Status.DRAFT, Study.Status.CLOSED):
        raise ErasureRefusedError(LIVE.format(study.status))
    if not is_large(study) and not exceeds(Item.objects.filter(study=study), MOST_AT_ONCE):
        erase_study(study, actor)
        return None
    try:
        with transaction.atomic():
            lock_study(study.pk, archived=True)
            row = StudyDeletion.objects.create(study_pk=study.pk, slug=study.slug, asked_by=actor)
            record("deletion requested", study.slug, actor=actor, study=study.slug)
            enqueue(works()[WORK_KEY], row)
            return row
    except IntegrityError:
        raise ErasureRefusedError(UNDER_WAY) from None


def request_decided() -> None:
    """Queue the deletion of studies again if it is decided, not done, and has used up its attempts."""
    waiting = StudyDeletion.objects.filter(study_pk=OuterRef("pk"), status__in=WAITING)
    for study in Study.objects.filter(~Exists(waiting), being_erased=True):
        earlier = failed_deletion(study)
        asked_by = earlier.asked_by if earlier is not None else None
        try:
            with transaction.atomic():
                row = StudyDeletion.objects.create(study_pk=study.pk, slug=study.slug, asked_by=asked_by)
                enqueue(works()[WORK_KEY], row)
        except IntegrityError:  # another worker has just requested it
            continue


def waiting_deletion(study: Study) -> StudyDeletion | None:
    """Return the deletion of the study that has not ended, if there is one."""
    return StudyDeletion.objects.filter(study_pk=study.pk, status__in=WAITING).first()


def failed_deletion(study: Study) -> StudyDeletion | None:
    """Return the newest deletion of the study if it ended without success."""
    return StudyDeletion.objects.filter(study_pk=study.pk).exclude(status__in=WAITING).order_by("-pk").first()
