"""Deletes large studies: on SQLite in steps. Safe to run twice: a study that is gone is deleted."""

from datetime import timedelta

from accounts.audited_erasure import ErasureRefusedError
from annotation.models import Study, StudyDeletion
from annotation.studies.locking import ImportPendingError
from annotation.studies.stepwise_erasure import continue_erasure, decide_erasure, goes_in_steps
from annotation.studies.study_deletion import WORK_KEY
from annotation.studies.study_erasure import BUSY, erase_study
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work

WAIT = 5.0
SECONDS = 60.0
"""How long a worker deletes steps before it sees to other work; well under JOB_MINUTES."""
NEXT = 1.0
GOES_ON = "Its rows are being deleted step by step, so that other people can work."


def delete(claim: Claim) -> None:
    """Erase the study of a claimed row, if it still exists."""
    row: StudyDeletion = claim.row
    study = Study.objects.filter(pk=row.study_pk).first()
    if study is not None:
        try:
            with claim.kept_alive():
                _erase(study, row)
        except ErasureRefusedError as problem:
            if str(problem) == BUSY:
                raise TryLaterError(BUSY, WAIT) from problem
            raise GiveUpError(str(problem)) from problem
        except ImportPendingError as problem:
            raise TryLaterError(str(problem), WAIT, counts=False) from problem
    with claim.finish():
        pass


def _erase(study: Study, row: StudyDeletion) -> None:
    """Erase the study. What is decided goes on until it is done: that uses up no attempt."""
    if not (goes_in_steps() or study.being_erased):
        erase_study(study, row.asked_by)
        return
    decide_erasure(study, row.asked_by)
    if not continue_erasure(study, SECONDS):
        raise TryLaterError(GOES_ON, NEXT, counts=False)


WORK = Work(WORK_KEY, StudyDeletion, delete, "jobs", lease=timedelta(minutes=10), attempts=10, study="")
