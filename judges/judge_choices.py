"""What can judge: the entries from which the form of a new run is made."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.machine_shapes import CHOICE, LABEL, RANKING, SCORE
from judges.options import Option
from judges.protocol import JudgeProtocol, judge_protocols

ANSWERS: Mapping[str, str] = {
    SCORE: "a score", CHOICE: "the better of two outputs", RANKING: "a ranking of all outputs", LABEL: "a label",
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
    protocol: JudgeProtocol


@dataclass(frozen=True)
class JudgeGroup:
    """Judges of one kind, under a heading."""

    title: str
    choices: tuple[JudgeChoice, ...]


def judge_groups() -> tuple[JudgeGroup, ...]:
    """Return all that can judge, by kind, in the order of their names."""
    found = sorted(judge_protocols().values(), key=lambda one: one.label)
    return (JudgeGroup("Language models", tuple(_of_protocol(one) for one in found)),)


def judge_choice(key: str) -> JudgeChoice | None:
    """Return the choice with this key, or None."""
    return next((one for group in judge_groups() for one in group.choices if one.key == key), None)


def _of_protocol(protocol: JudgeProtocol) -> JudgeChoice:
    gives = f"{ANSWERS[protocol.shape]} for {UNITS[protocol.unit]}"
    return JudgeChoice(protocol.key, protocol.label, protocol.source, gives, protocol.options, protocol)
