"""Answers that the ledger has already, so that the same call need not be made and paid again."""

from typing import Any

from llm.client.reply_reading import structured
from llm.models import Call
from llm.requests import Candidate, Charge, Reply, TokenLogprob, Usage

RECORDED = (Call.Status.ANSWERED, Call.Status.CACHED)


def of_same_work(digest: str, charge: Charge) -> Call | None:
    """Return the call that answered this request for the same step of the same work, or None.

    There is one if a worker was killed after the ledger had the answer and before it wrote its result.
    """
    if not charge.work:
        return None
    same = Call.objects.filter(study=charge.study, work=charge.work, step=charge.step)
    return same.filter(request_digest=digest, status__in=RECORDED).order_by("pk").first()


def of_equal_call(digest: str, charge: Charge) -> Call | None:
    """Return the latest call of the same study that answered an equal request, or None."""
    calls = Call.objects.filter(request_digest=digest, status=Call.Status.ANSWERED, study=charge.study)
    return calls.order_by("-pk").first()


def reply(call: Call) -> Reply:
    """Return the reply that a row of the ledger holds."""
    usage = None
    if call.tokens_in is not None and call.tokens_out is not None:
        usage = Usage(call.tokens_in, call.tokens_out)
    logprobs = None
    if isinstance(call.logprobs, list):
        logprobs = tuple(
            TokenLogprob(one["token"], one["logprob"], tuple(Candidate(**top) for top in one["top"]))
            for one in call.logprobs
        )
    return Reply(call.text, call.finish_reason, call.model_returned, usage, logprobs, call.refusal, _parsed(call), call)


def _parsed(call: Call) -> Any:
    return structured(call.text) if call.parameters.get("schema") is not None else None
