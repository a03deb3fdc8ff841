"""What many calls to a model will take: tokens, price and time, from some of their requests. Nothing is sent."""

import statistics
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import timedelta

from config.database_clock import database_now
from llm import budgets, limits
from llm.endpoints import find_model
from llm.models import Call
from llm.requests import Request

LATEST_CALLS = 50


@dataclass(frozen=True)
class CallEstimate:
    """What calls will take at most if each is sent once; the price is in millionths of the currency.

    `tokens_in` are estimated on the high side. `seconds` is None without earlier calls of the model to judge by.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    price: int
    price_unknown: bool
    seconds: float | None

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def estimate_calls(name: str, requests: Iterable[Request], calls: int, more_tokens_in: int = 0) -> CallEstimate:
    """Return what `calls` calls to the model `endpoint/model` will take, of which `requests` are a sample.

    `more_tokens_in` is what requests that come later have beyond those of the sample. Raises CallError.
    """
    endpoint, model = find_model(name)
    tokens_in, tokens_out, rendered = 0, 0, 0
    for request in requests:
        limited = limits.with_reply_limit(request, model)
        tokens_in += limits.estimate_request_tokens(limited)
        tokens_out += model.reply_limit(limited)
        rendered += 1
    scale = calls / max(rendered, 1)
    tokens_in, tokens_out = round(tokens_in * scale) + more_tokens_in, round(tokens_out * scale)
    price = budgets.price_of(model, tokens_in, tokens_out)
    each = seconds_per_call(endpoint.name, model.name)
    seconds = None if each is None else each * calls / endpoint.in_flight
    return CallEstimate(calls, tokens_in, tokens_out, price.amount, price.unknown, seconds)


def seconds_per_call(endpoint: str, model: str) -> float | None:
    """Return the median time of the latest answered calls of a model in the last 30 days, or None without any."""
    since = database_now() - timedelta(days=30)
    calls = Call.objects.filter(endpoint=endpoint, started_at__gt=since, model=model, status=Call.Status.ANSWERED)
    times = calls.order_by("-started_at").values_list("started_at", "ended_at")[:LATEST_CALLS]
    seconds = [(ended - started).total_seconds() for started, ended in times if ended is not None]
    return statistics.median(seconds) if seconds else None
