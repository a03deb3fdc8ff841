"""Answers that are there already: a call whose model, messages and parameters are the same need not be made again."""

from typing import Any

from llm.asking import Candidate, Charge, Reply, TokenLogprob, Usage
from llm.client.replies import structured
from llm.models import Call


def answered(digest: str, charge: Charge) -> Call | None:
    """The latest answered call of the charge's study with this request digest; None where there is none.

    Other studies' calls are not looked at: what one study asked is nothing to another.
    """
    calls = Call.objects.filter(request_digest=digest, status=Call.Status.ANSWERED, study=charge.study)
    return calls.order_by("-pk").first()


def reply(call: Call) -> Reply:
    """The reply that a row of the ledger holds."""
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
