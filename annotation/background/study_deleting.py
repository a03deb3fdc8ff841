"""Deletes large studies. Safe to run twice: a study that is gone is deleted."""

from datetime import timedelta

from accounts.audited_erasure import ErasureRefusedError
from annotation.models import Study, StudyDeletion
from annotation.studies.locking import ImportPendingError
from annotation.studies.study_deletion import WORK_KEY
from annotation.studies.study_erasure import BUSY, erase_study
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work

WAIT = 5.0


def delete(claim: Claim) -> None:
    """Erase the study of a claimed row, if it still exists."""
    row: StudyDeletion = claim.row
    study = Study.objects.filter(pk=row.study_pk).first()
    if study is not None:
        try:
            with claim.kept_alive():
                erase_study(study, row.asked_by)
        except ErasureRefusedError as problem:
            if str(problem) == BUSY:
                raise TryLaterError(BUSY, WAIT) from problem
            raise GiveUpError(str(problem)) from problem
        except ImportPendingError as problem:
            raise TryLaterError(str(problem), WAIT, counts=False) from problem
    with claim.finish():
        pass


WORK = Work(WORK_KEY, StudyDeletion, delete, "jobs", lease=timedelta(minutes=10), attempts=10)
