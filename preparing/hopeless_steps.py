"""Stops steps whose first calls all end in the same way, before the others are made and paid for."""

from llm.call_errors import CallError
from llm.hopeless_calls import FAILED, FIRST, FOR_ALL, cut_off_reason
from preparing.models import PreparationCall, PreparationStep
from preparing.step_states import stop_for


def stop_if_cut_off(step: PreparationStep, model: str) -> None:
    """Stop a step if all its replies so far were cut off at their token limit; call it after one was."""
    ended = PreparationCall.objects.filter(step=step).exclude(outcome="")
    if ended.exclude(outcome=PreparationCall.Outcome.TRUNCATED).exists() or ended.count() < FIRST:
        return
    stop_for(step, cut_off_reason(step.study, step.charge_name, model, ended.count()))


def stop_if_all_fail(step: PreparationStep, problem: CallError) -> None:
    """Stop a step if its first calls all failed in a way that the others would, too; call it before one fails."""
    if problem.kind not in FOR_ALL:
        return
    rows = PreparationCall.objects.filter(step=step)
    if rows.exclude(outcome="").exists() or rows.filter(status="failed").count() < FIRST - 1:
        return
    stop_for(step, FAILED.format(FIRST, problem.detail))
