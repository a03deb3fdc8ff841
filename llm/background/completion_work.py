"""Makes queued calls: each ends in one reply or one failure with its reason."""

import time
from typing import Any

from django.conf import settings

from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from config.text_validation import with_escapes
from llm.call_errors import BudgetError, CallError, EndpointBusyError, StoppedError
from llm.call_work import PATIENCE, wait_after, wait_for_budget
from llm.completions import WORK_KEY, charge_of, request_of
from llm.door import complete
from llm.models import Completion

STORE_EVERY = 0.5
ATTEMPTS = 5
"""A killed worker uses one up for every row that it held, even one that only waited for a place."""


class PartialTextWriter:
    """Stores the text received so far, at most twice a second, for pages that follow it."""

    def __init__(self, claim: Claim) -> None:
        self.claim, self.stored_at = claim, time.monotonic()

    def __call__(self, text: str) -> None:
        if time.monotonic() - self.stored_at >= STORE_EVERY:
            self.claim.update(text=text)
            self.stored_at = time.monotonic()


def make_call(claim: Claim) -> None:
    """Make the call of a claimed row and store its reply."""
    row: Completion = claim.row
    try:
        reply = complete(
            request_of(row), charge_of(row), on_text=PartialTextWriter(claim), cache=row.may_be_cached,
            stopped=claim.stop_asked,
        )  # fmt: skip
    except StoppedError as problem:
        claim.renew()  # raises if this row was stopped; otherwise all calls of the study were
        raise GiveUpError(problem.reason, **_failure(problem)) from None
    except BudgetError as problem:
        if (wait := wait_for_budget(problem, claim)) is not None:
            raise TryLaterError(EndpointBusyError.sentence, wait) from None
        raise GiveUpError(problem.detail, **_failure(problem)) from problem
    except CallError as problem:
        if (wait := wait_after(problem, PATIENCE)) is not None:
            raise TryLaterError(problem.reason, wait, counts=problem.put_off is not None) from None
        raise GiveUpError(problem.detail, **_failure(problem)) from problem
    with claim.finish(text=reply.text, call=reply.call, kind=""):
        pass


def _failure(problem: CallError) -> dict[str, Any]:
    return {"kind": problem.kind, "text": with_escapes(problem.partial)}


WORK = Work(WORK_KEY, Completion, make_call, "calls", settings.CALL_LEASE, attempts=ATTEMPTS)
