"""Makes one call of a step: asks the model, and stores what it suggests or writes.

A step whose first calls all end in the same way is stopped, before the others are made and paid for.
"""

from functools import partial

from django.conf import settings

from config.background.claiming import Claim
from config.background.kinds import GiveUpError, Work
from judges.protocol import ReplyInvalidError, outcome_of_failure
from llm.call_errors import CallError
from llm.call_work import calling_for
from llm.hopeless_calls import FAILED, FIRST, FOR_ALL, cut_off_reason
from llm.requests import Charge
from parts.preparing.asking import PayingAsker
from parts.preparing.models import PreparationCall, PreparationStep
from parts.preparing.result_recording import record_result
from parts.preparing.step_configuration import PreparationRefusedError, StepConfiguration
from parts.preparing.step_kind import StepCase, StepResult, step_kinds
from parts.preparing.step_states import WORK_KEY, pause_for_budget, stop_for

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
            _stop_if_all_fail(step, problem.__cause__)
        raise
    except PreparationRefusedError as problem:
        raise GiveUpError(problem.reason) from None
    with claim.finish(outcome=outcome, reading=None if result is None or result.counts is None else {**result.counts}):
        if result is not None:
            record_result(step, configuration, call, result)
        if reason:
            PreparationCall.objects.filter(pk=call.pk).update(reason=reason)
    if outcome == PreparationCall.Outcome.TRUNCATED:
        _stop_if_cut_off(step, configuration.model)


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


def _stop_if_cut_off(step: PreparationStep, model: str) -> None:
    """Stop a step if all its replies so far were cut off at their token limit; call it after one was."""
    ended = PreparationCall.objects.filter(step=step).exclude(outcome="")
    if ended.exclude(outcome=PreparationCall.Outcome.TRUNCATED).exists() or ended.count() < FIRST:
        return
    stop_for(step, cut_off_reason(step.study, step.charge_name, model, ended.count()))


def _stop_if_all_fail(step: PreparationStep, problem: CallError) -> None:
    """Stop a step if its first calls all failed in a way that the others would, too; call it before one fails."""
    if problem.kind not in FOR_ALL:
        return
    rows = PreparationCall.objects.filter(step=step)
    if rows.exclude(outcome="").exists() or rows.filter(status="failed").count() < FIRST - 1:
        return
    stop_for(step, FAILED.format(FIRST, problem.detail))


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
