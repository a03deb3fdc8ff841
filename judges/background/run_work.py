"""The work around a run: makes its judgments, so that workers find them."""

from datetime import timedelta

from config.background.claiming import Claim
from config.background.kinds import GiveUpError, Work
from judges.configuration import ConfigurationRefusedError
from judges.judgment_planning import plan_judgments
from judges.models import RunWork
from judges.run_context import PromptChangedError
from judges.run_states import WORK_KEY
from llm.call_errors import BudgetError


def work_on_run(claim: Claim) -> None:
    """Make what a claimed run judges."""
    try:
        plan_judgments(claim)
    except (ConfigurationRefusedError, PromptChangedError) as problem:
        raise GiveUpError(str(problem), message=str(problem)) from None
    except BudgetError as problem:
        raise GiveUpError(problem.reason, message=problem.reason) from None
    with claim.finish():
        pass


WORK = Work(WORK_KEY, RunWork, work_on_run, "jobs", timedelta(minutes=2))
