"""The work around a run: reserves its budget and makes its judgments, or computes a metric's scores."""

from datetime import timedelta

from config.background.claiming import Claim
from config.background.kinds import GiveUpError, Work
from judges.configuration import ConfigurationRefusedError
from judges.estimates import estimate_of
from judges.judgment_planning import plan_judgments
from judges.metric_configuration import is_metric
from judges.metrics import MetricError
from judges.models import RunWork
from judges.rereading import copy_judgments
from judges.run_context import PromptChangedError, run_context
from judges.run_states import WORK_KEY, pause_for_budget
from judges.scoring import score_run
from llm import budgets
from llm.call_errors import BudgetError, CallError
from llm.requests import Charge


def work_on_run(claim: Claim) -> None:
    """Reserve what a claimed run may cost, and make what it judges."""
    try:
        if is_metric(claim.row.run):
            score_run(claim)
        elif run_context(claim.row.run_id).configuration.reread_of:
            copy_judgments(claim.row)
        else:
            _reserve(claim)
            plan_judgments(claim)
    except BudgetError as problem:
        pause_for_budget(claim.row.run_id, problem.reason)
        claim.renew()  # raises, because the pause has asked this row to stop
    except (ConfigurationRefusedError, PromptChangedError, MetricError) as problem:
        raise GiveUpError(str(problem), message=str(problem)) from None
    except CallError as problem:
        raise GiveUpError(problem.reason, message=problem.reason) from None
    with claim.finish():
        pass


def _reserve(claim: Claim) -> None:
    """Reserve what is expected to be spent on what is not judged yet."""
    work: RunWork = claim.row
    context = run_context(work.run_id)
    if work.reservation_id is not None:
        return
    found = estimate_of(context)
    claim.update(estimate=found.as_json())
    if work.partly or not found.price:
        return
    done = work.run.judgments.exclude(outcome="").count()
    left = found.price - found.price * done // max(found.judgments, 1)
    charge = Charge(context.study, context.charge_name)
    claim.update(reservation=budgets.reserve_batch(charge, left))


WORK = Work(WORK_KEY, RunWork, work_on_run, "jobs", timedelta(minutes=2))
