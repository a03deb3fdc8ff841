"""Reasons why a call to a model has no usable reply: one class per kind, each with a sentence for people.

No sentence contains an address, a key, or anything that the endpoint wrote. What the endpoint said is a `detail` for
operators and researchers.
"""

from llm.requests import Outcome


class CallError(Exception):
    """A call that failed. `partial` is the text received so far; `outcome` is what the ledger stores.

    `reason` is for everybody, also annotators; `detail` for operators and researchers, if there is more to say to them.
    `passing` says that waiting helps, so that nothing final may follow from it; `put_off` is set if the endpoint asks
    for a wait, in seconds, that is too long for one call, or for another one after the last attempt.
    """

    passing = False
    put_off: float | None = None

    kind = "failed"
    sentence = "The call to the language model failed."

    def __init__(
        self,
        reason: str = "",
        *,
        partial: str = "",
        retry_after: float | None = None,
        outcome: Outcome | None = None,
        detail: str = "",
    ) -> None:
        self.reason = reason or self.sentence
        super().__init__(self.reason)
        self.detail = detail or self.reason
        self.partial = partial
        self.retry_after = retry_after
        self.outcome = outcome or Outcome(text=partial)


class BudgetError(CallError):
    """The budget of the study, run or person does not allow the call.

    `passing` says that it would if nothing else were reserved.
    """

    kind = "budget"
    sentence = "The budget for language models is used up. Ask the people who run the study."


class StoppedError(CallError):
    """Somebody stopped the call."""

    kind = "stopped"
    sentence = "The call was stopped."


class TooLongError(CallError):
    """The messages and the longest reply do not fit into the model's context."""

    kind = "too_long"
    sentence = "The text is too long for the language model. Nothing was sent."


class EndpointBusyError(CallError):
    """The endpoint had no free place."""

    kind = "busy"
    sentence = "The language model is busy with other calls. Try again in a minute."


class CircuitOpenError(CallError):
    """The endpoint failed several times in a row, and calls to it are paused."""

    kind = "circuit_open"
    sentence = "The language model failed several times in a row, so calls to it are paused. Try again later."


class RateLimitedError(CallError):
    """The endpoint accepts no more calls for now."""

    kind = "rate_limited"
    sentence = "The language model accepts no more calls for now. Try again in a few minutes."


class QuotaError(CallError):
    """The account at the endpoint has no credit left; waiting does not help."""

    kind = "quota"
    sentence = "The account at the language model's provider has no credit left. Tell the people who run this site."


class CallTimeoutError(CallError):
    """The endpoint was silent for too long, or the deadline of the call passed."""

    kind = "timeout"
    sentence = "The language model took too long to answer. Try again."


class UnreachableError(CallError):
    """No connection, or one that broke before any response."""

    kind = "unreachable"
    sentence = "The language model cannot be reached. Try again in a few minutes."


class ServerError(CallError):
    """The endpoint reported a failure of its own."""

    kind = "server_error"
    sentence = "The language model's server failed. Try again in a few minutes."


class RejectedError(CallError):
    """The endpoint rejected the request: wrong key, unknown model or unknown parameter."""

    kind = "rejected"
    sentence = "The language model's server rejected the request. Tell the people who run this site."


class UnsupportedError(CallError):
    """The request needs something that the model is not configured for."""

    kind = "unsupported"
    sentence = "According to its configuration, this language model does not support the request."


class BadReplyError(CallError):
    """The response is not the reply of a language model, or cannot be stored."""

    kind = "bad_reply"
    sentence = "The language model's server sent an unusable reply."


class NoReplyError(BadReplyError):
    """The response had the status of a success, but no reply of a model in it, as if the server had failed."""

    passing = True


class RefusedError(CallError):
    """The model declined to answer; `partial` is its refusal."""

    kind = "refused"
    sentence = "The language model declined to answer."


class FilteredError(CallError):
    """The provider's content filter blocked the reply."""

    kind = "filtered"
    sentence = "A content filter of the language model's provider blocked the reply."


class TruncatedError(CallError):
    """The reply reached its maximum length; `partial` is what was received."""

    kind = "truncated"
    sentence = "The language model's reply is longer than allowed and was cut off."


class ReplyBrokenError(CallError):
    """The connection broke during the reply; `partial` is what was received."""

    kind = "cut"
    sentence = "The connection to the language model broke during the reply."


class UnknownModelError(CallError):
    """No model has this name."""

    kind = "unknown_model"
    sentence = "This site has no language model of that name."


class NoKeyError(CallError):
    """The environment variable with the endpoint's key is not set."""

    kind = "no_key"
    sentence = "The server has no key for the language model. Tell the people who run this site."


class InstructionUnsupportedError(CallError):
    """The extractive model cannot carry out the instruction; the previous answer stays as it is."""

    kind = "cannot"
    sentence = "This instruction cannot be carried out. The answer is unchanged."
