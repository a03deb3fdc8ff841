"""What a run will take: calls, tokens, price and time, from the prompts of its own units."""

import statistics
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from itertools import islice

from django.utils import timezone

from annotation.models import Item, Study
from judges.askers import LookingAsker, ShownOnlyError
from judges.configuration import RunConfiguration
from judges.judgment_planning import planned_judgments
from judges.models import Judgment
from judges.protocol import ReplyInvalidError
from judges.run_context import RunContext, context_before_run
from llm import budgets, limits
from llm.endpoints import find_model
from llm.models import Call
from llm.requests import Request

SAMPLE = 200
"""Judgments whose prompts are rendered for an estimate; those of larger runs are spread over the run."""
LATEST_CALLS = 50


@dataclass(frozen=True)
class RunEstimate:
    """What a run will take at most if every call is sent once; prices are in millionths of the currency.

    `tokens_in` are estimated on the high side; later rounds of a discussion, whose prompts are longer, are counted like
    first ones. `seconds` is None without earlier calls of the model to judge by. `sampled` says that only some prompts
    were rendered.
    """

    judgments: int
    units: int
    calls: int
    tokens_in: int
    tokens_out: int
    price: int
    price_unknown: bool
    seconds: float | None
    sampled: bool

    def as_json(self) -> dict[str, object]:
        return asdict(self)


def estimate(study: Study, configuration: RunConfiguration) -> RunEstimate:
    """Return what a run of this configuration will take. Raises ConfigurationRefusedError, as `planned_units` does."""
    return estimate_of(context_before_run(study, configuration))


def estimate_of(context: RunContext) -> RunEstimate:
    """As `estimate`, for a context."""
    configuration = context.configuration
    endpoint, model = find_model(configuration.model)
    judgments = sum(1 for _ in planned_judgments(context))
    step = max(1, -(-judgments // SAMPLE))
    tokens_in, tokens_out, rendered = 0, 0, 0
    sample = (planned.row(context.run) for planned in islice(planned_judgments(context), 0, None, step))
    for request in first_requests(context, sample):
        limited = limits.with_reply_limit(request, model)
        tokens_in += limits.estimate_request_tokens(limited)
        tokens_out += limited.max_tokens or 0
        rendered += 1
    most = context.protocol.most_calls(configuration.options)
    calls, scale = judgments * most, judgments * most / max(rendered, 1)
    tokens_in, tokens_out = round(tokens_in * scale), round(tokens_out * scale)
    price = budgets.price_of(model, tokens_in, tokens_out)
    each = seconds_per_call(endpoint.name, model.name)
    return RunEstimate(
        judgments, judgments // _per_unit(configuration), calls, tokens_in,
        tokens_out, price.amount, price.unknown, None if each is None else each * calls / endpoint.in_flight, step > 1,
    )  # fmt: skip


def _per_unit(configuration: RunConfiguration) -> int:
    """Return how often each unit is judged."""
    return configuration.replicates * max(len(configuration.questions), 1) * (2 if configuration.probe else 1)


def first_requests(context: RunContext, judgments: Iterator[Judgment]) -> Iterator[Request]:
    """Yield the first request of each judgment; nothing is sent."""
    for judgment in judgments:
        request = first_request(context, judgment)
        if request is not None:
            yield request


def first_request(context: RunContext, judgment: Judgment) -> Request | None:
    """Return the first request of a judgment, or None if its protocol needs none."""
    asker = LookingAsker(context, tuple(judgment.order or ()), judgment.replicate)
    with suppress(ShownOnlyError, ReplyInvalidError):  # a case that cannot be asked about needs no request
        context.protocol.judge(context.case(judgment), context.configuration.options, asker)
    return asker.request


@dataclass(frozen=True)
class RenderedPrompt:
    """A prompt as it would be sent, and the item that it is about."""

    item: str
    request: Request


def rendered_prompts(study: Study, configuration: RunConfiguration, count: int = 1) -> list[RenderedPrompt]:
    """Return the first prompts of a run, for people to read before it starts."""
    context, found = context_before_run(study, configuration), []
    for planned in islice(planned_judgments(context), count):
        judgment = planned.row(context.run)
        request = first_request(context, judgment)
        if request is not None:
            found.append(RenderedPrompt(Item.objects.values_list("key", flat=True).get(pk=judgment.item_id), request))
    return found


def seconds_per_call(endpoint: str, model: str) -> float | None:
    """Return the median time of the latest answered calls of a model in the last 30 days, or None without any."""
    since = timezone.now() - timedelta(days=30)
    calls = Call.objects.filter(endpoint=endpoint, started_at__gt=since, model=model, status=Call.Status.ANSWERED)
    times = calls.order_by("-started_at").values_list("started_at", "ended_at")[:LATEST_CALLS]
    seconds = [(ended - started).total_seconds() for started, ended in times if ended is not None]
    return statistics.median(seconds) if seconds else None
