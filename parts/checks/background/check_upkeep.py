"""Prepares checks for raters who have got work since, and asks the rules about new answers to checks."""

import logging

from django.db import DatabaseError

from annotation.models import Rater, Study
from annotation.studies.corrections import StudyArchivedError
from annotation.studies.locking import ImportPendingError, RaterGoneError
from config.background.kinds import Sweep
from parts.checks.preparing import prepare_checks, waiting_raters
from parts.checks.rules import judge_rater, raters_to_judge

logger = logging.getLogger(__name__)
AT_ONCE = 20
"""Raters of a study that one run looks after; the next run comes within seconds."""
EVERY = 3


def look_after_checks() -> None:
    """Look after a few raters of each live study that has checks."""
    for study in Study.objects.filter(status=Study.Status.LIVE).exclude(recruiting={}).order_by("pk"):
        if "checks" not in study.recruiting:
            continue
        for rater in waiting_raters(study).order_by("pk")[:AT_ONCE]:
            _attempt(prepare_checks, rater)
        for rater in raters_to_judge(study)[:AT_ONCE]:
            _attempt(judge_rater, rater)


def _attempt(work: object, rater: Rater) -> None:
    """Do it for one rater; a failure is for the next run, and keeps nobody else waiting."""
    try:
        work(rater)  # type: ignore[operator]
    except (ImportPendingError, StudyArchivedError, RaterGoneError):
        return
    except DatabaseError:
        logger.exception("Checks of rater %s could not be looked after.", rater.pk)


SWEEP = Sweep("hidden_checks", look_after_checks, EVERY)
