"""The section `routing` of a study file: topics, limits per rater, quotas of groups, and who each task asks for.

Topics and seats make lanes: a slot belongs to one, by its item's topic and by whom its place is for. A rater gets
tasks from the lanes that are open to them.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from annotation.models import Item, Study
from annotation.studies.file_sections import FileFacts
from config.model_fields import canonical_json
from config.strict_models import SettingsModel, invalid, must_be, whole

ROUTING = "routing"
PREFERENCE, REQUIREMENT = "prefer", "require"
MOST_TOPICS, MOST_SEATS, MOST_GROUPS, MOST_VALUES, MOST_NUMBER = 24, 8, 8, 100, 10**9
LONGEST_NAME = 200
FIRST_LANE = 1
"""The lane 0 is that of slots in studies without the section."""


def _are_names(names: Any, most: int) -> bool:
    return 1 <= len(names) <= most and all(0 < len(name) <= LONGEST_NAME for name in names)


Name = Annotated[str, must_be(f"text of 1 to {LONGEST_NAME} characters", lambda name: 0 < len(name) <= LONGEST_NAME)]
Count = Annotated[int | None, whole(1, MOST_NUMBER)]
Topics = Annotated[
    list[str],
    must_be(f"a list of 1 to {MOST_TOPICS} categories of items", lambda names: _are_names(names, MOST_TOPICS)),
]
Seats = Annotated[
    dict[Name, Annotated[int, whole(1, MOST_NUMBER)]],
    Field(min_length=1, max_length=MOST_SEATS),
]


class AnswerSource(SettingsModel):
    """The question of a step whose answer says something about a rater."""

    step: Name
    question: Name


class TopicRule(SettingsModel):
    """Topics by name. `source` gives a rater's field; with `choose`, raters choose. `most`: answers per topic."""

    names: Topics
    mode: Annotated[Literal["prefer", "require"], must_be(f"{PREFERENCE} or {REQUIREMENT}")] = "prefer"
    may_choose: Annotated[bool | None, must_be("true or false")] = Field(None, alias="choose")
    source: AnswerSource | None = Field(None, alias="from")
    most: Count = None

    @property
    def choose(self) -> bool:
        """Whether raters choose their topics, which they do unless a question gives them."""
        return self.source is None if self.may_choose is None else self.may_choose

    @model_validator(mode="after")
    def check_names(self) -> Self:
        if len(set(self.names)) < len(self.names):
            raise invalid("has a name twice", "names")
        if not self.choose and self.source is None:
            raise invalid("needs choose: true, or a question in from")
        return self


NO_TOPICS = TopicRule.model_construct(names=[], may_choose=False)


class QuotaLimits(SettingsModel):
    """The `most` and `least` answers of all raters of a group, and the most `raters`."""

    most: Annotated[int | None, whole(0, MOST_NUMBER)] = None
    least: Count = None
    raters: Count = None

    @model_validator(mode="after")
    def check_limits(self) -> Self:
        if self.most is None and self.least is None and self.raters is None:
            raise invalid("must have at least one of most, least, raters")
        if self.most is not None and self.least is not None and self.least > self.most:
            raise invalid("must not be above most", "least")
        return self


@dataclass(frozen=True)
class GroupQuota:
    """A group of raters by their answer, with its limits."""

    value: str
    most: int | None
    least: int | None
    raters: int | None


class GroupRule(AnswerSource):
    """Groups by the answers to one question."""

    limits: dict[Name, QuotaLimits] = Field(alias="quotas", min_length=1, max_length=MOST_VALUES)

    @property
    def source(self) -> AnswerSource:
        return AnswerSource(step=self.step, question=self.question)

    @property
    def quotas(self) -> tuple[GroupQuota, ...]:
        return tuple(
            GroupQuota(value, limits.most, limits.least, limits.raters) for value, limits in self.limits.items()
        )


class SeatRule(AnswerSource):
    """How many of each task's places are for raters with an answer; further places are for anybody."""

    seats: Seats

    @property
    def source(self) -> AnswerSource:
        return AnswerSource(step=self.step, question=self.question)

    @property
    def values(self) -> tuple[str, ...]:
        return tuple(self.seats)

    def seat_of(self, number: int) -> int:
        """For whom the slot of a number is: 0 for anybody, else the place of the answer from 1."""
        for seat, count in enumerate(self.seats.values(), start=1):
            if number < count:
                return seat
            number -= count
        return 0


class RoutingSpec(SettingsModel):
    """The section."""

    topic_rule: TopicRule | None = Field(None, alias="topics")
    most_share: Annotated[float | None, must_be("a number above 0 and at most 1", lambda share: 0 < share <= 1)] = None
    groups: list[GroupRule] = Field([], max_length=MOST_GROUPS)
    seats: SeatRule | None = Field(None, alias="each_task")

    @model_validator(mode="after")
    def check_groups(self) -> Self:
        sources = [group.source for group in self.groups]
        for place, source in enumerate(sources):
            if source in sources[:place]:
                raise invalid("has the question of another entry", "groups", place)
        return self

    def misfits(self, facts: FileFacts) -> Iterator[tuple[str, str]]:
        if not facts.protocol.flow.offers_every_task or facts.protocol.flow.ranks_tasks:
            yield "", "is not possible: raters of this protocol get tasks in an order of its own"

    @property
    def topics(self) -> TopicRule:
        return self.topic_rule or NO_TOPICS

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
    return RoutingSpec.model_validate(json.loads(text))


def lane_of(study: Study, item: Item, number: int) -> int:
    """The lane of the slot of a number on an item's tasks; 0 in a study without the section."""
    routing = routing_of(study)
    return 0 if routing is None else routing.lane_of(item, number)
