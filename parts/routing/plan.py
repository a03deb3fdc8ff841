"""The section `routing` of a study file: topics, limits per rater, quotas of groups, and who each task asks for.

Topics and seats make lanes: a slot belongs to one, by its item's topic and by whom its place is for. A rater gets
tasks from the lanes that are open to them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from annotation.models import Item, Question, Study
from annotation.protocols import Protocol
from config.model_fields import canonical_json

ROUTING = "routing"
KEYS = ("topics", "most_share", "groups", "each_task")
TOPIC_KEYS = ("names", "mode", "choose", "from", "most")
SOURCE_KEYS = ("step", "question")
GROUP_KEYS = (*SOURCE_KEYS, "quotas")
QUOTA_KEYS = ("most", "least", "raters")
SEAT_KEYS = (*SOURCE_KEYS, "seats")
PREFERENCE, REQUIREMENT = "prefer", "require"
MOST_TOPICS, MOST_SEATS, MOST_GROUPS, MOST_VALUES, MOST_NUMBER = 24, 8, 8, 100, 10**9
LONGEST_NAME = 200
FIRST_LANE = 1
"""The lane 0 is that of slots in studies without the section."""


class RoutingInvalidError(ValueError):
    """A section that cannot be followed; the message names the place and says what must be there."""


@dataclass(frozen=True)
class AnswerSource:
    """The question of a step whose answer says something about a rater."""

    step: str
    question: str


@dataclass(frozen=True)
class TopicRule:
    """Topics by name. `source` gives a rater's field; with `choose`, raters choose. `most`: answers per topic."""

    names: tuple[str, ...] = ()
    mode: str = PREFERENCE
    choose: bool = False
    source: AnswerSource | None = None
    most: int | None = None


@dataclass(frozen=True)
class GroupQuota:
    """A group of raters: `most` and `least` answers of all of them, and the most `raters`."""

    value: str
    most: int | None
    least: int | None
    raters: int | None


@dataclass(frozen=True)
class GroupRule:
    """Groups by the answers to one question."""

    source: AnswerSource
    quotas: tuple[GroupQuota, ...]


@dataclass(frozen=True)
class SeatRule:
    """How many of each task's places are for raters with an answer; further places are for anybody."""

    source: AnswerSource
    seats: tuple[tuple[str, int], ...]

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(value for value, _ in self.seats)

    def seat_of(self, number: int) -> int:
        """For whom the slot of a number is: 0 for anybody, else the place of the answer from 1."""
        for seat, (_, count) in enumerate(self.seats, start=1):
            if number < count:
                return seat
            number -= count
        return 0


@dataclass(frozen=True)
class RoutingSpec:
    """A checked section."""

    topics: TopicRule = field(default_factory=TopicRule)
    most_share: float | None = None
    groups: tuple[GroupRule, ...] = ()
    seats: SeatRule | None = None

    @property
    def has_quotas(self) -> bool:
        """Whether slots are counted."""
        return self.most_share is not None or bool(self.groups) or self.topics.most is not None

    @property
    def sources(self) -> tuple[AnswerSource, ...]:
        """The questions that it asks about."""
        found = [self.topics.source, *(group.source for group in self.groups)]
        return tuple(one for one in [*found, self.seats.source if self.seats else None] if one is not None)

    @property
    def width(self) -> int:
        """How many lanes each topic has: one for anybody, and one per seat."""
        return 1 + (len(self.seats.seats) if self.seats else 0)

    def topic_of(self, categories: Any) -> int:
        """The number of an item's topic: its first category that is one; after the last for an item without one."""
        listed = categories if isinstance(categories, list) else [categories]
        names = self.topics.names
        return next((names.index(one) for one in listed if one in names), len(names))

    def lane(self, topic: int, seat: int) -> int:
        """The lane of a topic and a seat, both by number."""
        return FIRST_LANE + topic * self.width + seat

    def lane_of(self, item: Item, number: int) -> int:
        """The lane of the slot of a number on an item's tasks."""
        return self.lane(self.topic_of(item.categories), self.seats.seat_of(number) if self.seats else 0)

    def lanes_of_topic(self, topic: int) -> tuple[int, int]:
        """The first and the last lane of a topic."""
        return self.lane(topic, 0), self.lane(topic, self.width - 1)

    @property
    def last_lane(self) -> int:
        return self.lane(len(self.topics.names), self.width - 1)


def routing_of(study: Study) -> RoutingSpec | None:
    """The study's section, or None if it has none."""
    given = study.options.get(ROUTING)
    return None if given is None else _read(canonical_json(given))


@lru_cache(maxsize=64)
def _read(text: str) -> RoutingSpec:
    return read_routing(json.loads(text))


def lane_of(study: Study, item: Item, number: int) -> int:
    """The lane of the slot of a number on an item's tasks; 0 in a study without the section."""
    routing = routing_of(study)
    return 0 if routing is None else routing.lane_of(item, number)


def why_no_routing(value: Any, protocol: Protocol, questions: Sequence[Question]) -> str | None:
    """What is wrong with a section for this protocol, or None."""
    if not protocol.flow.offers_every_task or protocol.flow.ranks_tasks:
        return "is not possible: raters of this protocol get tasks in an order of its own"
    try:
        read_routing(value)
    except RoutingInvalidError as problem:
        return str(problem)
    return None


def read_routing(value: Any) -> RoutingSpec:
    """Check a section without its study. Raises RoutingInvalidError."""
    body = _mapping(value, KEYS, "it")
    share: Any = body.get("most_share")
    if share is not None and (type(share) not in (int, float) or not 0 < share <= 1):
        raise RoutingInvalidError("most_share must be a number above 0 and at most 1")
    topics = _topics(body["topics"]) if body.get("topics") is not None else TopicRule()
    seats = _seats(body["each_task"]) if body.get("each_task") is not None else None
    groups = tuple(_groups(body.get("groups", [])))
    return RoutingSpec(topics, None if share is None else float(share), groups, seats)


def _topics(value: Any) -> TopicRule:
    body = _mapping(value, TOPIC_KEYS, "topics")
    names, mode = body.get("names"), body.get("mode", PREFERENCE)
    if not isinstance(names, list) or not 1 <= len(names) <= MOST_TOPICS or not all(map(_is_name, names)):
        raise RoutingInvalidError(f"topics.names must be a list of 1 to {MOST_TOPICS} categories of items")
    if len(set(names)) < len(names):
        raise RoutingInvalidError("topics.names has a name twice")
    if mode not in (PREFERENCE, REQUIREMENT):
        raise RoutingInvalidError(f"topics.mode must be {PREFERENCE} or {REQUIREMENT}")
    source = _source(body["from"], "topics.from") if body.get("from") is not None else None
    choose = body.get("choose", source is None)
    if type(choose) is not bool:
        raise RoutingInvalidError("topics.choose must be true or false")
    if not choose and source is None:
        raise RoutingInvalidError("topics needs choose: true, or a question in from")
    return TopicRule(tuple(names), mode, choose, source, _number(body, "most", "topics", 1))


def _groups(value: Any) -> Iterator[GroupRule]:
    if not isinstance(value, list) or len(value) > MOST_GROUPS:
        raise RoutingInvalidError(f"groups must be a list of at most {MOST_GROUPS} questions")
    seen = set()
    for place, given in enumerate(value):
        here = f"groups.{place}"
        body = _mapping(given, GROUP_KEYS, here)
        source = _source({key: body.get(key) for key in SOURCE_KEYS}, here)
        if source in seen:
            raise RoutingInvalidError(f"{here} has the question of another entry")
        seen.add(source)
        quotas = body.get("quotas")
        if not isinstance(quotas, dict) or not 1 <= len(quotas) <= MOST_VALUES or not all(map(_is_name, quotas)):
            raise RoutingInvalidError(f"{here}.quotas must be {{answer: limits}}, for 1 to {MOST_VALUES} answers")
        yield GroupRule(source, tuple(_quota(one, limits, here) for one, limits in quotas.items()))


def _quota(value: str, limits: Any, place: str) -> GroupQuota:
    here = f"{place}.quotas.{value}"
    body = _mapping(limits, QUOTA_KEYS, here)
    if not body:
        raise RoutingInvalidError(f"{here} must have at least one of {', '.join(QUOTA_KEYS)}")
    most, least, raters = (_number(body, key, here, 0 if key == "most" else 1) for key in QUOTA_KEYS)
    if most is not None and least is not None and least > most:
        raise RoutingInvalidError(f"{here}.least must not be above most")
    return GroupQuota(value, most, least, raters)


def _seats(value: Any) -> SeatRule:
    body = _mapping(value, SEAT_KEYS, "each_task")
    source = _source({key: body.get(key) for key in SOURCE_KEYS}, "each_task")
    seats = body.get("seats")
    if not isinstance(seats, dict) or not 1 <= len(seats) <= MOST_SEATS or not all(map(_is_name, seats)):
        raise RoutingInvalidError(f"each_task.seats must be {{answer: number}}, for 1 to {MOST_SEATS} answers")
    counted = tuple((one, _number(seats, one, "each_task.seats", 1) or 1) for one in seats)
    return SeatRule(source, counted)


def _source(value: Any, place: str) -> AnswerSource:
    body = _mapping(value, SOURCE_KEYS, place)
    if not _is_name(body.get("step")) or not _is_name(body.get("question")):
        raise RoutingInvalidError(f"{place} must name a step and a question of it")
    return AnswerSource(body["step"], body["question"])


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME


def _number(body: Mapping[str, Any], key: str, place: str, least: int) -> int | None:
    value = body.get(key)
    if value is not None and (type(value) is not int or not least <= value <= MOST_NUMBER):
        raise RoutingInvalidError(f"{place}.{key} must be a whole number from {least} to {MOST_NUMBER}")
    return value


def _mapping(value: Any, keys: Sequence[str], place: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise RoutingInvalidError(f"{place} must be a mapping of keys to values")
    for key in value:
        if key not in keys:
            raise RoutingInvalidError(f"{place} has the unknown key {key}; known are {', '.join(keys)}")
    return value
