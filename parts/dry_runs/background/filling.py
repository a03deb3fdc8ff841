"""Fills the copies of dry runs in steps: a worker that is killed leaves what it has done, and another goes on."""

import time
from datetime import timedelta
from time import sleep

from accounts.models import Person
from annotation.models import Study
from annotation.models.people import Role
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.lifecycle import make_live, prepare
from annotation.studies.locking import ImportPendingError
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from config.parts import parts_of
from files.reading import ImportRefusedError
from parts.dry_runs.desk_requests import DeskRefusedError, DeskVisitor, Progress
from parts.dry_runs.dry_run_steps import WORK_KEY, make_copy, synthetic_people
from parts.dry_runs.models import StudyDryRun
from parts.dry_runs.session_requests import VISITORS
from parts.dry_runs.synthetic_answers import SyntheticRater, UnknownQuestionError
from sessions.second_ratings import sample_turns

STEP_SECONDS = 20.0
"""How long a worker goes on before it lets other work come first."""
GONE = "The study has been deleted."
IN_STEPS = "In the queue for its next step."
POLL_SECONDS = 0.2
"""How long all raters wait for answers that a worker makes up, before they look again."""
MOST_POLLS, PAUSE_SECONDS = 10, 1.0
"""After so many looks the dry run pauses: what they wait for may need this worker, such as the index of a search."""


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
        if _let_on(study) or _open_second_ratings(study):
            raise _later()
    except ImportPendingError as problem:
        raise TryLaterError(str(problem), 3.0, counts=False) from None
    except (ImportRefusedError, StudyRefusedError, DeskRefusedError, UnknownQuestionError) as problem:
        raise GiveUpError(str(problem)) from None
    with claim.finish():
        return


def _let_on(study: Study) -> int:
    """Do what a researcher decides while a study goes on; return how much was decided."""
    owner = study.memberships.filter(role=Role.OWNER, active=True).order_by("pk").select_related("person").first()
    steps = parts_of(study).steps
    return steps.decide_for_researchers(study, owner.person) if owner and steps is not None else 0


def _open_second_ratings(study: Study) -> int:
    """Draw the sample of turns that others rate, if the study's options have one; return how many places opened."""
    wanted = study.options.get("second_ratings", None)
    return sample_turns(study, **wanted, seed=study.options.get("seed", 0)).opened if wanted else 0


def _visitor(row: StudyDryRun, study: Study, person: Person, number: int) -> DeskVisitor:
    """A rater at the desk; the same settings and seed give the same answers in every dry run."""
    kind = VISITORS.get(study.protocol, DeskVisitor)
    return kind(study, person, SyntheticRater(f"rater {number}", row.accuracy, row.bias, row.seed), row.seconds)


def _later(seconds: float = 0.0) -> TryLaterError:
    return TryLaterError(IN_STEPS, seconds, counts=False)


def _answer(claim: Claim, study: Study, visitors: list[DeskVisitor]) -> None:
    """Let the raters come in, then go on with one step each in turn.

    Raises TryLaterError when the step is over, StopAskedError.
    """
    until, coming, working = time.monotonic() + STEP_SECONDS, list(visitors), list(visitors)
    while coming:
        coming = [visitor for visitor in coming if visitor.step_in()]
        claim.renew()
        if time.monotonic() > until and coming:
            raise _later()
    polls = 0
    while working:
        made = [(visitor, visitor.go_on()) for visitor in working]
        answers = sum(progress is Progress.ANSWERED for _, progress in made)
        claim.update(answers=claim.row.answers + answers)
        working = [visitor for visitor, progress in made if progress is not Progress.NOTHING]
        if time.monotonic() > until and working:
            raise _later()
        polls = 0 if {progress for _, progress in made} & {Progress.ANSWERED, Progress.MOVED} else polls + 1
        if polls == MOST_POLLS and working:
            raise _later(PAUSE_SECONDS)
        if polls:
            sleep(POLL_SECONDS)


WORK = Work(WORK_KEY, StudyDryRun, run_dry, "jobs", lease=timedelta(minutes=2), patient=True)
