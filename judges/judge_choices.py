"""What can judge: the entries from which the form of a new run is made."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.machine_shapes import CHOICE, EXTREMES, LABEL, RANKING, SCORE
from judges.metrics import Metric, MetricOption, metrics
from judges.options import Option
from judges.protocol import JudgeProtocol, judge_protocols

ANSWERS: Mapping[str, str] = {
    SCORE: "a score", CHOICE: "the better of two outputs", RANKING: "a ranking of all outputs", LABEL: "a label",
    EXTREMES: "the best and the worst output",
}  # fmt: skip
UNITS: Mapping[str, str] = {
    "output": "each output", "pair": "each pair of outputs", "item": "each item", "turn": "each turn",
}  # fmt: skip


@dataclass(frozen=True)
class JudgeChoice:
    """Something that can judge: `gives` says what it answers about which unit, `source` where it is described."""

    key: str
    label: str
    source: str
    gives: str
    options: Mapping[str, Option]
    protocol: JudgeProtocol | None = None
    """None for a metric."""
    has_weights: bool = False
    """Whether it is a metric with a model, whose weights a worker has to name before a run can start."""

    @property
    def unit(self) -> str:
        """What it judges: an `output`, `pair`, `item` or `turn`."""
        return "output" if self.protocol is None else self.protocol.unit

    @property
    def labels_turns(self) -> bool:
        """Whether it labels turns instead of answering a question."""
        return self.protocol is not None and bool(self.protocol.label_kind)


@dataclass(frozen=True)
class JudgeGroup:
    """Judges of one kind, under a heading."""

    title: str
    choices: tuple[JudgeChoice, ...]


def judge_groups() -> tuple[JudgeGroup, ...]:
    """Return all that can judge, by kind, in the order of their names."""
    found = sorted(judge_protocols().values(), key=lambda one: one.label)
    scored = sorted(metrics().values(), key=lambda one: one.name)
    return (
        JudgeGroup("Language models", tuple(_of_protocol(one) for one in found)),
        JudgeGroup("Metrics", tuple(_of_metric(one) for one in scored)),
    )


def judge_choice(key: str) -> JudgeChoice | None:
    """Return the choice with this key, or None."""
    return next((one for group in judge_groups() for one in group.choices if one.key == key), None)


def _of_protocol(protocol: JudgeProtocol) -> JudgeChoice:
    gives = f"{ANSWERS[protocol.shape]} for {UNITS[protocol.unit]}"
    return JudgeChoice(protocol.key, protocol.label, protocol.source, gives, protocol.options, protocol)


def _of_metric(metric: Metric) -> JudgeChoice:
    options = {name: _option_of(one) for name, one in metric.options.items()}
    return JudgeChoice(
        metric.key, metric.name, "docs/metrics.md", "a number for each output", options, None, metric.extra
    )


def _option_of(option: MetricOption) -> Option:
    """Return the option of a metric as forms know options."""
    said = option.help.removesuffix(".")
    if option.kind == "flag":
        return Option("yes", option.default, said)
    if option.kind == "whole":
        return Option("whole", option.default, said, least=option.least, most=option.most)
    if option.kind == "choice":
        return Option("choice", option.default, said, choices=option.choices)
    return Option("text", option.default, said, most=200)
