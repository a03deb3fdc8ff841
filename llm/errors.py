"""Why a call to a model gave nothing that can be used: one class a kind, each with a sentence for those who see it.

No sentence holds an address, a key, or words of the endpoint.
"""

from llm.asking import Outcome


class CallError(Exception):
    """A call that failed. `partial` is the text that came so far; `outcome` is what the ledger keeps of it."""

    kind = "failed"
    sentence = "The call to the language model failed."

    def __init__(
        self,
        reason: str = "",
        *,
        partial: str = "",
        retry_after: float | None = None,
        outcome: Outcome | None = None,
    ) -> None:
        self.reason = reason or self.sentence
        super().__init__(self.reason)
        self.partial = partial
        self.retry_after = retry_after
        self.outcome = outcome or Outcome(text=partial)


class BudgetError(CallError):
    """The study, run or person has no budget left for the call."""

    kind = "budget"
    sentence = "The budget for calls to language models is used up: ask the people who run the study."


class StoppedError(CallError):
    """Somebody asked the call to stop."""

    kind = "stopped"
    sentence = "The call was stopped."


class TooLongError(CallError):
    """The messages and the reply asked for do not fit into the model's context."""

    kind = "too_long"
    sentence = "The text is longer than the language model can read. Nothing was cut, and nothing was sent."


class BusyError(CallError):
    """All slots of the endpoint stayed taken."""

    kind = "busy"
    sentence = "The language model is busy with other calls. Try again in a minute."


class CircuitOpenError(CallError):
    """The endpoint failed many times in a row, and calls are held back for a while."""

    kind = "circuit_open"
    sentence = "The language model failed several times in a row, so calls to it pause for a while. Try again later."


class RateLimitedError(CallError):
    """The endpoint takes no more calls now."""

    kind = "rate_limited"
    sentence = "The language model takes no more calls just now. Try again in a few minutes."


class QuotaError(CallError):
    """The account at the endpoint is used up; waiting does not help."""

    kind = "quota"
    sentence = "The account at the language model's provider is used up: tell the people who run this site."


class CallTimeoutError(CallError):
    """Nothing came for too long, or the total deadline passed."""

    kind = "timeout"
    sentence = "The language model took too long to answer. Try again."


class UnreachableError(CallError):
    """No connection, or one that broke before anything came."""

    kind = "unreachable"
    sentence = "The language model cannot be reached. Try again in a few minutes."


class ServerError(CallError):
    """The endpoint answered with a failure of its own."""

    kind = "server_error"
    sentence = "The language model's server failed. Try again in a few minutes."


class RejectedError(CallError):
    """The endpoint does not take this request: wrong key, unknown model, a parameter that it does not know."""

    kind = "rejected"
    sentence = "The language model's server does not take this request: tell the people who run this site."


class UnsupportedError(CallError):
    """The request asks for what the model is not configured to give."""

    kind = "unsupported"
    sentence = "This language model does not offer what was asked of it, according to its configuration."


class BadReplyError(CallError):
    """An answer came that is no reply of a language model, or one that cannot be stored."""

    kind = "bad_reply"
    sentence = "The language model's server sent something that is no usable reply."


class RefusedError(CallError):
    """The model declined to answer; `partial` is what it said."""

    kind = "refused"
    sentence = "The language model declined to answer."


class FilteredError(CallError):
    """The provider's content filter withheld the reply."""

    kind = "filtered"
    sentence = "A content filter of the language model's provider withheld the reply."


class TruncatedError(CallError):
    """The reply reached the limit on its length; `partial` is what there is."""

    kind = "truncated"
    sentence = "The language model's reply was longer than allowed and stops in the middle."


class CutError(CallError):
    """The connection broke within the reply; `partial` is what came."""

    kind = "cut"
    sentence = "The connection to the language model broke in the middle of the reply."


class UnknownModelError(CallError):
    """No model of that name is configured."""

    kind = "unknown_model"
    sentence = "No language model of that name is configured on this site."


class NoKeyError(CallError):
    """The environment variable that holds the endpoint's key is not set."""

    kind = "no_key"
    sentence = "The key for the language model is not set on the server: tell the people who run this site."


class CannotError(CallError):
    """The extractive model cannot do by rule what the instruction asks; the answer before it stays as it is."""

    kind = "cannot"
    sentence = "This instruction cannot be carried out by rule. The answer stays as it was."
