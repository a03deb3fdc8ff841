"""Makes one judgment: asks the model as the protocol says, and keeps what was read."""

from functools import partial

from django.conf import settings

from config.background.claiming import Claim
from config.background.kinds import GiveUpError, Work
from config.model_fields import canonical_json
from config.prepared_sql import Columns, fetch_one
from judges.askers import CallingAsker, KeptAsker, NotKeptError
from judges.configuration import ConfigurationRefusedError
from judges.hopeless_runs import stop_if_all_fail, stop_if_cut_off
from judges.judgment_queue import first_judgments, judgment_queue
from judges.models import Judgment
from judges.protocol import Asker, Reading, ReplyInvalidError, outcome_of_failure
from judges.run_context import PromptChangedError, RunContext, run_context
from judges.run_states import pause_for_budget
from llm.call_errors import CallError
from llm.call_work import calling_for
from llm.models import Reservation

ATTEMPTS = 5
WORK_KEY = "judgment"
RESERVATION = Columns(Reservation, "r")
FIND_RESERVATION = (
    f"SELECT {RESERVATION.sql} FROM judges_runwork w JOIN llm_reservation r ON r.id = w.reservation_id"  # noqa: S608
    " WHERE w.run_id = %s"
)
Outcome = Judgment.Outcome


def judge(claim: Claim) -> None:
    """Judge what a claimed row is about, and store the reading or the outcome."""
    judgment: Judgment = claim.row
    try:
        with calling_for(claim, partial(pause_for_budget, judgment.run_id)):
            context = run_context(judgment.run_id)
            outcome, reading, reason = _judged(claim, context, judgment)
    except GiveUpError as problem:
        if isinstance(problem.__cause__, CallError):
            stop_if_all_fail(judgment.run_id, problem.__cause__)
        raise
    except (PromptChangedError, ConfigurationRefusedError, NotKeptError) as problem:
        raise GiveUpError(str(problem)) from None
    with claim.finish(outcome=outcome, reading=reading):
        if reason:
            Judgment.objects.filter(pk=judgment.pk).update(reason=reason)
    if outcome == Outcome.TRUNCATED:
        stop_if_cut_off(judgment.run_id)


def _judged(claim: Claim, context: RunContext, judgment: Judgment) -> tuple[str, dict[str, object] | None, str]:
    """Return a judgment's outcome, its reading, and why there is none."""
    asker: Asker
    if judgment.original_id is not None:
        original = Judgment.objects.get(pk=judgment.original_id)
        asker = KeptAsker(context, judgment, original)
    else:
        asker = CallingAsker(context, judgment, claim.stop_asked, _reservation(judgment.run_id))
    try:
        reading = context.protocol.judge(context.case(judgment), context.configuration.options, asker)
    except ReplyInvalidError as problem:
        return Outcome.INVALID, None, problem.reason
    except CallError as problem:
        return outcome_of_failure(problem), None, problem.detail
    return Outcome.VALID, stored_reading(reading), ""


def stored_reading(reading: Reading) -> dict[str, object]:
    """Return a reading as a row keeps it. Raises ValueError if it is no JSON, which is an error of the protocol."""
    stored = {
        "value": reading.value, "explanation": reading.explanation,
        "distribution": None if reading.distribution is None else dict(reading.distribution),
        "missing": reading.missing, "outcome": reading.outcome, "details": dict(reading.details),
    }  # fmt: skip
    canonical_json(stored)
    return stored


def _reservation(run: int) -> Reservation | None:
    found = fetch_one(FIND_RESERVATION, [run])
    return None if found is None else RESERVATION.take(iter(found))


WORK = Work(
    WORK_KEY,
    Judgment,
    judge,
    "calls",
    settings.CALL_LEASE,
    attempts=ATTEMPTS,
    patient=True,
    queue_state=judgment_queue,
    study="run__rater__study",
    heads=first_judgments,
)
