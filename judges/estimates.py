"""What a run will take: calls, tokens, price and time, from the prompts of its own units."""

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import islice
from random import Random

from annotation.models import Item, Study
from judges.askers import LookingAsker, ShownOnlyError
from judges.configuration import RunConfiguration
from judges.judgment_planning import planned_judgments
from judges.models import Judgment
from judges.protocol import ReplyInvalidError
from judges.run_context import RunContext, context_before_run
from judges.unit import PlannedUnit
from judges.units import planned_units, some_units
from llm.call_estimates import estimate_calls
from llm.requests import Request

SAMPLE = 200
"""Judgments whose prompts are rendered for an estimate; those of larger runs are spread over the run."""
PLACES, ITEMS_EACH = 20, 50
"""An estimate reads so many items at so many places of a larger study."""


@dataclass(frozen=True)
class RunEstimate:
    """What a run will take at most if every call is sent once; prices are in millionths of the currency.

    `tokens_in` are estimated on the high side, with all that later rounds of a discussion can take. `seconds` is None
    without earlier calls of the model to judge by. `sampled` says that only some prompts were rendered, `about` that
    only some items were read, so that the counts are not exact.
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
    about: bool

    def as_json(self) -> dict[str, object]:
        return asdict(self)

    def without(self, judgments: int) -> "RunEstimate":
        """Return what is left if so many judgments cost nothing."""
        share = max(self.judgments - judgments, 0) / max(self.judgments, 1)
        fewer = {name: math.ceil(getattr(self, name) * share) for name in ("calls", "tokens_in", "tokens_out", "price")}
        return replace(self, **fewer, seconds=None if self.seconds is None else self.seconds * share)


def estimate(study: Study, configuration: RunConfiguration) -> RunEstimate:
    """Return about what a run of this configuration will take, at a cost that does not grow with the study.

    Raises ConfigurationRefusedError, as `planned_units` does.
    """
    context = context_before_run(study, configuration)
    units, count = some_units(study, configuration, PLACES, ITEMS_EACH)
    counted = count if configuration.subset is None else min(count, configuration.subset)
    return _estimate(context, units, counted, read_all=len(units) == count)


def estimate_of(context: RunContext) -> RunEstimate:
    """Return what a run will take, from all its units."""
    units = list(planned_units(context.study, context.configuration))
    return _estimate(context, units, len(units), read_all=True)


def _estimate(context: RunContext, units: Sequence[PlannedUnit], count: int, *, read_all: bool) -> RunEstimate:
    """Return the estimate of a run with `count` units, from the prompts of some of these."""
    configuration = context.configuration
    per_unit = configuration.replicates * max(len(configuration.questions), 1) * (2 if configuration.probe else 1)
    planned = list(planned_judgments(context, units))
    drawn = Random(f"estimate\0{configuration.seed}").sample(planned, min(SAMPLE, len(planned)))  # noqa: S311 - no secret
    judgments = count * per_unit
    found = estimate_calls(
        configuration.model, first_requests(context, (one.row(context.run) for one in drawn)),
        judgments * context.protocol.most_calls(configuration.options),
        judgments * context.protocol.more_tokens_in(configuration.options),
    )  # fmt: skip
    return RunEstimate(
        judgments, count, found.calls, found.tokens_in, found.tokens_out, found.price, found.price_unknown,
        found.seconds, sampled=len(planned) > SAMPLE or not read_all, about=not read_all,
    )  # fmt: skip


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
    units = list(islice(planned_units(study, replace(configuration, subset=None)), count))
    for planned in islice(planned_judgments(context, units), count):
        judgment = planned.row(context.run)
        request = first_request(context, judgment)
        if request is not None:
            found.append(RenderedPrompt(Item.objects.values_list("key", flat=True).get(pk=judgment.item_id), request))
    return found
