"""Makes one call of a step: asks the model, and stores what it suggests or writes."""

from functools import partial

from django.conf import settings

from config.background.claiming import Claim
from config.background.kinds import GiveUpError, Work
from judges.protocol import ReplyInvalidError, outcome_of_failure
from llm.call_errors import CallError
from llm.call_work import calling_for
from llm.requests import Charge
from preparing.asking import PayingAsker
from preparing.hopeless_steps import stop_if_all_fail, stop_if_cut_off
from preparing.models import PreparationCall, PreparationStep
from preparing.result_recording import record_result
from preparing.step_configuration import PreparationRefusedError, StepConfiguration
from preparing.step_kind import StepCase, StepResult, step_kinds
from preparing.step_states import WORK_KEY, pause_for_budget

ATTEMPTS = 5


def make_preparation(claim: Claim) -> None:
    """Ask what a claimed row is about, and store the result with the row's outcome in one transaction."""
    call: PreparationCall = claim.row
    step = PreparationStep.objects.select_related("study", "reservation").get(pk=call.step_id)
    configuration = StepConfiguration.of(step.configuration)
    try:
        with calling_for(claim, partial(pause_for_budget, step)):
            outcome, result, reason = _asked(claim, step, configuration)
    except GiveUpError as problem:
        if isinstance(problem.__cause__, CallError):
            stop_if_all_fail(step, problem.__cause__)
        raise
    except PreparationRefusedError as problem:
        raise GiveUpError(problem.reason) from None
    with claim.finish(outcome=outcome, reading=None if result is None or result.counts is None else {**result.counts}):
        if result is not None:
            record_result(step, configuration, call, result)
        if reason:
            PreparationCall.objects.filter(pk=call.pk).update(reason=reason)
    if outcome == PreparationCall.Outcome.TRUNCATED:
        stop_if_cut_off(step, configuration.model)


def _asked(claim: Claim, step: PreparationStep, configuration: StepConfiguration) -> tuple[str, StepResult | None, str]:
    """Return the outcome, the result, and why there is none."""
    call: PreparationCall = claim.row
    charge = Charge(step.study, step.charge_name, work=call.work_name)
    asker = PayingAsker(step.study, configuration, charge, claim.stop_asked, step.reservation)
    case = StepCase(call.document, call.suggestion)
    try:
        return PreparationCall.Outcome.VALID, step_kinds()[step.kind].ask(case, configuration, asker), ""
    except ReplyInvalidError as problem:
        return PreparationCall.Outcome.INVALID, None, problem.reason
    except CallError as problem:
        return outcome_of_failure(problem), None, problem.detail


WORK = Work(
    WORK_KEY,
    PreparationCall,
    make_preparation,
    "calls",
    settings.CALL_LEASE,
    attempts=ATTEMPTS,
    patient=True,
    study="step__study",
)
