"""Stops runs whose first calls all fail in the same way, before the others are made and paid for."""

from judges.cut_off_runs import cut_off_reason
from judges.models import Judgment
from judges.run_states import stop_for
from llm.call_errors import CallError

FIRST = 5
"""So many judgments must have ended in the same way, and no other in another way."""
FOR_ALL = frozenset(("rejected", "quota", "no_key", "unknown_model", "unsupported"))
"""Failures that every other call of the run would have, too."""
FAILED = "The first {} calls all failed, so no more are made. {} Then resume the run."


def stop_if_cut_off(run: int) -> None:
    """Stop a run if all its judgments so far were cut off at their token limit; call it after one was."""
    ended = Judgment.objects.filter(run=run).exclude(outcome="")
    if ended.exclude(outcome=Judgment.Outcome.TRUNCATED).exists() or ended.count() < FIRST:
        return
    stop_for(run, cut_off_reason(run, ended.count()))


def stop_if_all_fail(run: int, problem: CallError) -> None:
    """Stop a run if its first judgments all failed in a way that the others would, too; call it before one fails."""
    if problem.kind not in FOR_ALL:
        return
    rows = Judgment.objects.filter(run=run)
    if rows.exclude(outcome="").exists() or rows.filter(status="failed").count() < FIRST - 1:
        return
    stop_for(run, FAILED.format(FIRST, problem.detail))
