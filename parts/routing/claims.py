"""Claims in studies with routing: a rater's lanes one after the other, within what quotas leave.

One statement looks through the rater's lanes, of which it reads the first with an open slot: a range of an index. The
lane and the place at which they got work last are remembered. Only if nothing is open ahead does the search begin
again with the first lane. If slots are counted, a claim locks the row of the study among its quotas before it reads
what is left, so that two claims cannot both take the last place; triggers count what is taken
(`slot_counting`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from django.urls import reverse

from annotation.desk.part_tasks import FoundSlots, TaskSearch, mixed_among
from annotation.desk.statements import (
    IS_OPEN_TO_RATER,
    NOT_SEEN,
    OPEN,
    RaterState,
    last_place_after,
    seen_items,
    taken_slots,
)
from annotation.models import Item, Rater, Slot, Study
from annotation.studies.assignment_plan import cap_of
from annotation.studies.batches import FIRST, last_place
from config.parts import parts_of
from config.prepared_sql import fetch_all, fetch_one, here, run
from parts.routing.plan import lane_of
from parts.routing.quotas import is_routed, lock_counts, recount
from parts.routing.raters import route

_PLACES: Mapping[str, str] = {
    "sqlite": "o.lane = %s AND o.place >= %s AND o.lane = %s AND o.place <= %s",
    "postgresql": "(o.lane, o.place) >= (%s, %s) AND (o.lane, o.place) <= (%s, %s)",
}
"""The slots of one lane between two places. With pairs and an order by lane, PostgreSQL reads the index of lanes only.
With `lane = …` it may read the slots of all lanes in their order, which is slow once the lane has no open slot."""


def _in_lane(vendor: str) -> str:
    """The condition for the open slots of one lane, with that of their index."""
    return f"o.study_id = %s AND o.state = 'open' AND NOT (o.lane = 0) AND {_PLACES[vendor]}"


@dataclass(frozen=True)
class LaneLimit:
    """What a quota leaves in some lanes."""

    first: int
    last: int
    left: int


@dataclass(frozen=True)
class Lanes:
    """A rater's lanes with what quotas leave; `at` is the one that they have come to."""

    lanes: tuple[int, ...]
    at: int
    reach: int | None
    limits: tuple[LaneLimit, ...]

    def room(self, lane: int) -> int | None:
        """How many more slots of a lane the rater may take; None if nothing limits it."""
        left = [one.left for one in self.limits if one.first <= lane <= one.last]
        return max(0, min(left)) if left else None

    @property
    def open(self) -> tuple[int, ...]:
        """The lanes of which the rater may take more."""
        return tuple(lane for lane in self.lanes if self.room(lane) != 0)

    @property
    def everywhere(self) -> tuple[tuple[int, int], ...]:
        """All open lanes, each from its beginning."""
        return tuple((lane, FIRST) for lane in self.open)

    def ahead(self, last: int, place: int | None) -> tuple[tuple[int, int], ...]:
        """The open lanes from the present one on, each with the place from which to look up to place `last`."""
        if place is None or self.reach != last:
            return self.everywhere
        rest = enumerate(self.lanes[self.at :])
        return tuple((lane, FIRST if number else place) for number, lane in rest if self.room(lane) != 0)


@lru_cache
def _lanes_sql(vendor: str) -> str:
    each, together = ("json_array", "json_group_array") if vendor == "sqlite" else ("json_build_array", "json_agg")
    return f"""
SELECT w.lanes, w.at, w.reach, (SELECT CAST({together}({each}(q.first_lane, q.last_lane, q.most - q.taken)) AS text)
    FROM routing_quotamember m JOIN routing_routingquota q ON q.id = m.quota_id WHERE m.rater_id = w.rater_id)
FROM routing_routedrater w WHERE w.rater_id = %s
"""  # noqa: S608 - names of our own tables and columns


def lanes_of(rater: int) -> Lanes | None:
    """A rater's lanes as they are now; None if they have not been routed."""
    row = fetch_one(_lanes_sql(here().vendor), [rater])
    if row is None:
        return None
    lanes, at, reach, limits = row
    listed = json.loads(lanes) if isinstance(lanes, str) else lanes
    return Lanes(tuple(listed), at, reach, tuple(LaneLimit(*one) for one in json.loads(limits or "[]")))


def locked_lanes(study: Study, rater: int) -> Lanes | None:
    """A locked rater's lanes; if slots are counted, nobody else takes one until the transaction ends."""
    lock_counts(study)
    return lanes_of(rater)


@lru_cache(maxsize=256)
def first_sql(vendor: str, lanes: int, together: bool, listed: str) -> str:
    """The first open slot of the first of so many lanes that has one. Lanes after it are not read."""
    lock = "" if vendor == "sqlite" else "FOR NO KEY UPDATE OF i SKIP LOCKED"
    one = f"""
SELECT * FROM (SELECT o.id, o.item_id, o.number, o.lane
    FROM annotation_slot o JOIN annotation_item i ON i.id = o.item_id
    WHERE {_in_lane(vendor)}
    {IS_OPEN_TO_RATER} {listed} ORDER BY o.lane, o.place, o.number, o.id LIMIT 1 {lock}) lane"""  # noqa: S608
    belongs = "o.item_id = found.item_id AND o.number = found.number" if together else "o.id = found.id"
    return f"""
WITH found AS (SELECT * FROM ({" UNION ALL ".join(f"{one}{number}" for number in range(lanes))}) every LIMIT 1)
SELECT {OPEN.sql} FROM found JOIN annotation_slot o ON {belongs}
WHERE o.state = 'open' AND o.lane = found.lane {IS_OPEN_TO_RATER} {listed}
"""  # noqa: S608 - names of our own tables and columns


def first_in_lanes(
    state: RaterState, study: Study, lanes: Lanes, *, together: bool, kept: tuple[str, list[Any]]
) -> list[Slot]:
    """The first open slot in the rater's lanes, with those that are taken together with it."""
    last = last_place_after(study, state.newest_batch)
    ahead = lanes.ahead(last, state.rater.place)
    found = _first_of(study, state.rater.pk, ahead, last, together, kept)
    if not found and ahead != lanes.everywhere:
        found = _first_of(study, state.rater.pk, lanes.everywhere, last, together, kept)
    return found


def _first_of(
    study: Study, rater: int, lanes: tuple[tuple[int, int], ...], last: int, together: bool,
    kept: tuple[str, list[Any]],
) -> list[Slot]:  # fmt: skip
    if not lanes:
        return []
    listed, name = kept
    given: list[Any] = []
    for lane, place in lanes:
        given += [study.pk, lane, place, lane, last, rater, rater, *name]
    rows = fetch_all(first_sql(here().vendor, len(lanes), together, listed), [*given, rater, rater, *name])
    return [OPEN.must_take(iter(row)) for row in rows]


def remember_lane(rater: int, lanes: Lanes, lane: int, last: int) -> None:
    """Remember the lane in which a rater got work, and up to which place they look, if either has changed."""
    at = lanes.lanes.index(lane)
    if (at, last) != (lanes.at, lanes.reach):
        run("UPDATE routing_routedrater SET at = %s, reach = %s WHERE rater_id = %s", [at, last, rater])


@lru_cache(maxsize=256)
def _left_sql(vendor: str, lanes: int, column: str) -> str:
    one = f"""
SELECT * FROM (SELECT o.{column} FROM annotation_slot o
    WHERE {_in_lane(vendor)}
    {IS_OPEN_TO_RATER} {NOT_SEEN} ORDER BY o.lane, o.place, o.number, o.id LIMIT %s) lane"""  # noqa: S608
    arms = " UNION ALL ".join(f"{one}{number}" for number in range(lanes))
    return f"SELECT COUNT(*), COUNT(DISTINCT {column}) FROM (SELECT * FROM ({arms}) every LIMIT %s) nearest"  # noqa: S608


def tasks_ahead(study: Study, rater: Rater, most: int, *, column: str = "task_id") -> tuple[int, bool]:
    """How many tasks (or items) a rater can still get in their lanes, and whether the count stopped at `most` slots."""
    lanes = lanes_of(rater.pk)
    if lanes is None:
        return 0, False
    last = last_place(study)
    ahead = lanes.ahead(last, rater.place)
    if not ahead:
        return 0, False
    given: list[Any] = []
    for lane, place in ahead:
        given += [study.pk, lane, place, lane, last, rater.pk, rater.pk, *seen_items(study, rater), most + 1]
    slots, tasks = fetch_one(_left_sql(here().vendor, len(ahead), column), [*given, most + 1])
    room = _room(lanes)
    return (tasks, slots > most) if room is None or tasks <= room else (room, False)


def routed_ahead(study: Study, rater: Rater, most: int) -> tuple[int, bool]:
    """As `tasks_ahead`, within the study's plan, and with the mixed tasks that will come among them."""
    tasks, more = tasks_ahead(study, rater, most)
    cap = cap_of(study, rater.name)
    if cap is not None and tasks > (room := max(0, cap - taken_slots(rater.pk))):
        tasks, more = room, False
    if not tasks or not parts_of(study).mixing:
        return tasks, more
    items, _ = tasks_ahead(study, rater, most, column="item_id")
    return tasks + mixed_among(study, rater, tasks, items), more


def _room(lanes: Lanes) -> int | None:
    """How many more slots the rater may take in all lanes together; None if some lane is without a limit."""
    whole = [one.left for one in lanes.limits if all(one.first <= lane <= one.last for lane in lanes.lanes)]
    return max(0, min(whole)) if whole else None


def has_quota_left(rater: Rater) -> bool:
    """Whether the quotas of a rater leave them anything."""
    lanes = lanes_of(rater.pk)
    return lanes is not None and bool(lanes.open)


def may_take_slots(study: Study, rater: Rater, lanes: list[int]) -> bool:
    """Whether a locked rater may take one more slot in each of these lanes, which may be the same."""
    mine = locked_lanes(study, rater.pk)
    if mine is None or any(lane not in mine.lanes for lane in lanes):
        return False
    return all(sum(one.first <= lane <= one.last for lane in lanes) <= max(0, one.left) for one in mine.limits)


class RoutingSearch(TaskSearch):
    """Claims of raters with lanes."""

    def lane_of(self, study: Study, item: Item, number: int) -> int:
        return lane_of(study, item, number)

    def recount(self, study: Study) -> None:
        recount(study)

    def lock(self, study: Study) -> None:
        lock_counts(study)

    def ensure_ready(self, study: Study, rater: Rater) -> bool:
        return is_routed(rater) or route(study, rater)

    def is_ready(self, rater: Rater) -> bool:
        return is_routed(rater)

    def address(self, study: Study) -> str:
        return reverse("routing:own_topics", args=[study.slug])

    def find(self, study: Study, state: RaterState, together: bool, kept: tuple[str, list[Any]]) -> FoundSlots:
        rater = state.rater
        lanes = locked_lanes(study, rater.pk)
        slots = [] if lanes is None else first_in_lanes(state, study, lanes, together=together, kept=kept)
        if lanes is None or not slots:
            return FoundSlots([], None, lambda: None)
        lane, last = slots[0].lane, last_place_after(study, state.newest_batch)
        return FoundSlots(slots, lanes.room(lane), partial(remember_lane, rater.pk, lanes, lane, last))

    def open_lanes(self, study: Study, rater: Rater, *, locked: bool = False) -> Sequence[int]:
        lanes = locked_lanes(study, rater.pk) if locked else lanes_of(rater.pk)
        return lanes.open if lanes else ()

    def may_take(self, study: Study, rater: Rater, lanes: list[int]) -> bool:
        return may_take_slots(study, rater, lanes)

    def ahead(self, study: Study, rater: Rater, most: int) -> tuple[int, bool]:
        return routed_ahead(study, rater, most)

    def has_room(self, rater: Rater) -> bool:
        return has_quota_left(rater)
