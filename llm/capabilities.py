"""What a model must be able to do for a request, compared with what the operator's file says that it can."""

from dataclasses import dataclass

from llm.call_errors import UnsupportedError
from llm.endpoint_file import Api
from llm.endpoints import Endpoint, Model
from llm.requests import Request

NOT_A_LANGUAGE_MODEL = (
    "The extractive model only composes answers from passages. It is not a language model and cannot judge."
)
OTHER_API = "{} is configured for the API {}, but this needs {}."
NO_LOGPROBS = "{} is configured without log-probabilities, which this needs."
FEWER_CANDIDATES = "{} names at most {} candidates per token with their log-probabilities, but this needs {}."
NO_ECHO = "{} is configured without echo, which this needs to learn how likely a given answer is."
NO_LIKELIHOOD = "{} is configured with neither echo nor log-probabilities, of which this needs one."
NO_SCHEMA = "{} is configured without json_schema, which this needs."
NO_SEED = "{} is configured without seed, which this needs."
SHORT_CONTEXT = "{} reads at most {:,} tokens, but this needs {:,}."


@dataclass(frozen=True)
class Needs:
    """What a request, or every request of a run, needs of its model.

    `logprobs` counts candidates per token, `logprobs_or_echo` those of a model without echo; `tokens` are those of the
    longest request with its reply; `language_model` excludes the extractive model.
    """

    api: Api | None = None
    logprobs: int = 0
    logprobs_or_echo: int = 0
    echo: bool = False
    json_schema: bool = False
    seed: bool = False
    tokens: int = 0
    language_model: bool = True


def needs_of(request: Request) -> Needs:
    """Return what a request needs. It never needs a seed: that is sent only if the model takes one."""
    return Needs(
        logprobs=request.top_logprobs or 0, echo=bool(request.continuation), json_schema=request.schema is not None,
        language_model=request.material is None,
    )  # fmt: skip


def inability(needs: Needs, endpoint: Endpoint, model: Model) -> str:
    """Return a sentence about what the model is not configured for, or "" if it can do everything."""
    if endpoint.built_in and needs.language_model:
        return NOT_A_LANGUAGE_MODEL
    name, supports = f"{endpoint.name}/{model.name}", model.supports
    if needs.api is not None and needs.api != model.api:
        return OTHER_API.format(name, model.api, needs.api)
    if needs.echo and "echo" not in supports:
        return NO_ECHO.format(name)
    if needs.logprobs > model.logprobs:
        found = FEWER_CANDIDATES if model.logprobs else NO_LOGPROBS
        return found.format(name, model.logprobs, needs.logprobs)
    if needs.logprobs_or_echo > model.logprobs and "echo" not in supports:
        found = FEWER_CANDIDATES if model.logprobs else NO_LIKELIHOOD
        return found.format(name, model.logprobs, needs.logprobs_or_echo)
    if needs.json_schema and "json_schema" not in supports:
        return NO_SCHEMA.format(name)
    if needs.seed and "seed" not in supports:
        return NO_SEED.format(name)
    if model.context is not None and needs.tokens > model.context:
        return SHORT_CONTEXT.format(name, model.context, needs.tokens)
    return ""


def refuse_if_unable(request: Request, endpoint: Endpoint, model: Model) -> None:
    """Raise UnsupportedError if the model is not configured for what the request needs."""
    reason = inability(needs_of(request), endpoint, model)
    if reason:
        raise UnsupportedError(reason)
