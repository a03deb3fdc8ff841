"""The work around a run: what its kind does before, or instead of, judgments that ask a model."""

from datetime import timedelta

from config.background.claiming import Claim
from config.background.kinds import GiveUpError, Work
from judges.configuration import ConfigurationRefusedError
from judges.metrics import MetricError
from judges.models import RunWork
from judges.run_context import PromptChangedError
from judges.run_kind import kind_of
from judges.run_states import WORK_KEY, pause_for_budget
from llm.call_errors import BudgetError, CallError


def work_on_run(claim: Claim) -> None:
    """Do the work of a claimed run, and store in a sentence why it cannot go on."""
    try:
        kind_of(claim.row.run.configuration).work_on(claim)
    except BudgetError as problem:
        pause_for_budget(claim.row.run_id, problem.reason)
        claim.renew()  # raises, because the pause has asked this row to stop
    except (ConfigurationRefusedError, PromptChangedError, MetricError) as problem:
        raise GiveUpError(str(problem), message=str(problem)) from None
    except CallError as problem:
        raise GiveUpError(problem.reason, message=problem.reason) from None
    with claim.finish():
        pass


WORK = Work(WORK_KEY, RunWork, work_on_run, "jobs", timedelta(minutes=2))
