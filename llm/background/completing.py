"""Making a queued call: one result, or one stated failure."""

import time
from typing import Any

from django.conf import settings

from config.background.claiming import Claim
from config.background.work import GiveUpError, TryLaterError, Work
from llm.calling import complete
from llm.errors import BusyError, CallError, CircuitOpenError, StoppedError
from llm.ledger import storable
from llm.models import Completion
from llm.queueing import WORK_KEY, charge_of, request_of

BUSY_WAIT = 3.0
KEEP_EVERY = 0.5
ATTEMPTS = 5
"""A worker that is killed uses one up for every row that it held, also for those that only waited for a place."""


class Shown:
    """Keeps the text so far for whoever looks on, twice a second at most; the whole text comes with the result."""

    def __init__(self, claim: Claim) -> None:
        self.claim, self.kept = claim, time.monotonic()

    def __call__(self, text: str) -> None:
        if time.monotonic() - self.kept >= KEEP_EVERY:
            self.claim.update(text=text)
            self.kept = time.monotonic()


def make_call(claim: Claim) -> None:
    """Make the call of a claimed row."""
    row: Completion = claim.row
    try:
        reply = complete(
            request_of(row), charge_of(row), on_text=Shown(claim), cache=row.may_be_cached, stopped=claim.stop_asked,
        )  # fmt: skip
    except (BusyError, CircuitOpenError) as problem:
        raise TryLaterError(problem.reason, problem.retry_after or BUSY_WAIT, counts=False) from None
    except StoppedError as problem:
        claim.renew()  # raises where somebody asked this row to stop; otherwise all calls of the study were stopped
        raise GiveUpError(problem.reason, **_failure(problem)) from None
    except CallError as problem:
        raise GiveUpError(problem.reason, **_failure(problem)) from problem
    with claim.finish(text=reply.text, call=reply.call, kind=""):
        pass


def _failure(problem: CallError) -> dict[str, Any]:
    return {"kind": problem.kind, "text": storable(problem.partial)}


WORK = Work(WORK_KEY, Completion, make_call, "calls", settings.CALL_LEASE, attempts=ATTEMPTS)
