"""An answer and the claim of the next task in one transaction, as the desk's *Submit and next* asks for.

The answer comes first. If the claim fails, both are rolled back, and the answer is saved again without
a claim; the next task is then claimed in the ordinary way (`annotation.desk.next_page`). A savepoint between the two
would save that repetition, which is rare, at the price of two more messages to the database for every answer.
"""

import logging

from django.db import Error as DatabaseFailure
from django.db import transaction

from annotation.desk.assigning import Claimed, claim
from annotation.desk.submitting import CheckedAnswer, SavedAnswer, Submission, keeping_aside, save_answer
from annotation.desk.task_rows import TaskRow
from annotation.models import Assignment, Study
from annotation.protocols import protocols
from config.prepared_sql import joined

logger = logging.getLogger(__name__)
FAILURES = (DatabaseFailure, ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What must not cost the answer if it happens in the claim: failures of the database, and of the program."""


class ClaimFailedError(Exception):
    """The claim failed; the answer's transaction is lost with it."""


def submit_and_claim(row: TaskRow, submission: Submission) -> Assignment | None:
    """Save an answer and claim the next task; None if the task is to be claimed in the ordinary way.

    Raises what `annotation.desk.submitting.submit` raises.
    """
    answer = CheckedAnswer.of(row, submission)
    with keeping_aside(row.assignment, submission):
        try:
            return _save_and_claim(answer)
        except ClaimFailedError:
            return _save_and_claim(answer, claiming=False)


def _save_and_claim(answer: CheckedAnswer, *, claiming: bool = True) -> Assignment | None:
    with transaction.atomic(), joined():
        saved = save_answer(answer)
        claimed = _claimed(answer.row.study, saved) if claiming else None
        saved.write_rest(*(claimed.steps if claimed else ()))
    return claimed.assignment if claimed else None


def _claimed(study: Study, saved: SavedAnswer) -> Claimed | None:
    """The next task, unless the rater has something to read first, or the study gives out work in its own way.

    None too for an answer that had been saved before: the rater may be at another task by now.
    """
    state = saved.work.state
    if (
        saved.repeated
        or state.unread
        or not state.rater.admitted
        or state.status != Study.Status.LIVE
        or not protocols()[study.protocol].flow.offers_every_task
    ):
        return None
    try:
        return claim(study, state, saved.now)
    except FAILURES as problem:
        logger.exception("The next task could not be claimed with the answer.")
        raise ClaimFailedError from problem
