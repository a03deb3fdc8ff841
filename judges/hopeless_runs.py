"""Stops runs whose first calls all end in the same way, before the others are made and paid for."""

from annotation.models import JudgeRun
from judges.models import Judgment
from judges.run_context import charge_name
from judges.run_states import stop_for
from llm.call_errors import CallError
from llm.hopeless_calls import FAILED, FIRST, FOR_ALL, cut_off_reason


def stop_if_cut_off(run: int) -> None:
    """Stop a run if all its judgments so far were cut off at their token limit; call it after one was."""
    ended = Judgment.objects.filter(run=run).exclude(outcome="")
    if ended.exclude(outcome=Judgment.Outcome.TRUNCATED).exists() or ended.count() < FIRST:
        return
    found = JudgeRun.objects.select_related("rater__study").get(pk=run)
    model = found.configuration["model"]
    stop_for(run, cut_off_reason(found.rater.study, charge_name(found), model, ended.count()))


def stop_if_all_fail(run: int, problem: CallError) -> None:
    """Stop a run if its first judgments all failed in a way that the others would, too; call it before one fails."""
    if problem.kind not in FOR_ALL:
        return
    rows = Judgment.objects.filter(run=run)
    if rows.exclude(outcome="").exists() or rows.filter(status="failed").count() < FIRST - 1:
        return
    stop_for(run, FAILED.format(FIRST, problem.detail))
