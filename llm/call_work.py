"""What becomes of background work whose call to a model failed: it waits, pauses for its budget, or gives up."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError
from llm.call_errors import BudgetError, CallError, CircuitOpenError, EndpointBusyError, StoppedError

BUSY_WAIT, CIRCUIT_WAIT = 3.0, 10.0
LONGEST_WAIT = 86_400.0
PATIENCE = 600.0
"""Seconds for which somebody at a page is left waiting, when an endpoint demands a pause."""


def wait_after(problem: CallError, patience: float = LONGEST_WAIT) -> float | None:
    """Return after how many seconds work may ask again whose call did not get through, or None if it is over.

    If the endpoint demands a pause, work waits at most as long as its `patience`.
    """
    if isinstance(problem, EndpointBusyError):
        return problem.retry_after or BUSY_WAIT
    if isinstance(problem, CircuitOpenError):
        return problem.retry_after or CIRCUIT_WAIT
    return None if problem.put_off is None or problem.put_off > patience else problem.put_off


def wait_for_budget(problem: BudgetError, claim: Claim) -> float | None:
    """Return after how many seconds work may ask again whose budget others have only reserved, or None if it is over.

    It waits longer each time and uses up its attempts, so that nobody at a page is left waiting for a long run.
    """
    last = claim.row.attempt >= claim.work.attempts
    return None if last or not problem.passing else BUSY_WAIT * 4 ** max(claim.row.attempt - 1, 0)


@contextmanager
def calling_for(claim: Claim, out_of_budget: Callable[[str], None]) -> Iterator[None]:
    """Make a failed call in the block the end of the claimed row, or queue the row again if the failure may pass.

    `out_of_budget` stops all rows of the same run, this one included; it gets the reason.
    """
    try:
        yield
    except StoppedError as problem:
        claim.renew()  # raises if this row was stopped; otherwise all calls of the study or run were
        raise GiveUpError(problem.reason) from None
    except BudgetError as problem:
        if problem.passing:  # other calls have reserved the most that they may cost, and will give most of it back
            raise TryLaterError(problem.reason, BUSY_WAIT, counts=False) from None
        out_of_budget(problem.reason)
        claim.renew()  # raises, because the pause has asked this row to stop
        raise GiveUpError(problem.reason) from None
    except CallError as problem:
        if (wait := wait_after(problem)) is not None:
            raise TryLaterError(problem.reason, wait, counts=False) from None
        raise GiveUpError(problem.detail) from problem
