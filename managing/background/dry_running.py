"""Fills the copies of dry runs in steps: a worker that is killed leaves what it has done, and another goes on."""

import time
from datetime import timedelta

from accounts.models import Person
from annotation.importing import ImportRefusedError
from annotation.models import Study
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.lifecycle import make_live, prepare
from annotation.studies.locking import ImportPendingError
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from managing.dry_runs.desk_requests import DeskRefusedError, DeskVisitor
from managing.dry_runs.dry_run_steps import WORK_KEY, make_copy, synthetic_people
from recruiting.dry_runs.synthetic_answers import SyntheticRater, UnknownQuestionError
from recruiting.models import StudyDryRun

STEP_SECONDS = 20.0
"""How long a worker goes on before it lets other work come first."""
GONE = "The study has been deleted."
IN_STEPS = "In the queue for its next step."


def run_dry(claim: Claim) -> None:
    """Make the copy, make it live, and let the synthetic raters answer until they get no more tasks."""
    row: StudyDryRun = claim.row
    source = Study.objects.filter(pk=row.source_pk).first()
    if source is None:
        raise GiveUpError(GONE)
    try:
        study = row.study if row.study is not None and row.study.status != Study.Status.DRAFT else None
        if study is None:
            with claim.kept_alive():
                study = make_copy(source, row)
                people = synthetic_people(row, study)
                while not prepare(study, STEP_SECONDS):
                    claim.renew()
                make_live(study, row.asked_by)
        people = synthetic_people(row, study)
        _answer(claim, study, [_visitor(row, study, person, number) for number, person in enumerate(people)])
    except ImportPendingError as problem:
        raise TryLaterError(str(problem), 3.0, counts=False) from None
    except (ImportRefusedError, StudyRefusedError, DeskRefusedError, UnknownQuestionError) as problem:
        raise GiveUpError(str(problem)) from None
    with claim.finish():
        return


def _visitor(row: StudyDryRun, study: Study, person: Person, number: int) -> DeskVisitor:
    """A rater at the desk; the same settings and seed give the same answers in every dry run."""
    return DeskVisitor(study, person, SyntheticRater(f"rater {number}", row.accuracy, row.bias, row.seed), row.seconds)


def _answer(claim: Claim, study: Study, visitors: list[DeskVisitor]) -> None:
    """Let the raters come in, then answer one task each in turn.

    Raises TryLaterError when the step is over, StopAskedError.
    """
    until, coming, working = time.monotonic() + STEP_SECONDS, list(visitors), list(visitors)
    while coming:
        coming = [visitor for visitor in coming if visitor.step_in()]
        claim.renew()
        if time.monotonic() > until and coming:
            raise TryLaterError(IN_STEPS, 0.0, counts=False)
    while working:
        working = [visitor for visitor in working if visitor.answer_next()]
        claim.update(answers=claim.row.answers + len(working))
        if time.monotonic() > until and working:
            raise TryLaterError(IN_STEPS, 0.0, counts=False)


WORK = Work(WORK_KEY, StudyDryRun, run_dry, "jobs", lease=timedelta(minutes=2), patient=True)
