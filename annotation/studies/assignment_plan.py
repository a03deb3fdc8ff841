"""The option `plan` of a study: how many raters each item gets, who gets which, and what comes first.

A study without the option gives each task `redundancy` raters, of whom each takes as many tasks as there are.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from annotation.models.items import Item
from annotation.models.study import Study

OPTION = "plan"
KEYS = ("core", "sets", "categories", "items", "most", "most_of", "lists", "priority")
NAMING_RATERS = ("most_of", "lists")
"""The parts of a plan that name raters."""
GROUPS = ("sets", "categories", "items")
MOST_RATERS = 1000
MOST_TASKS = 10**9
MOST_NAMED = 10_000
"""How many items a plan may name: the option is read with every page of the desk."""
HIGHEST = 9


class PlanInvalidError(ValueError):
    """A plan that cannot be followed; `key` names the place, the message says what must be there."""

    def __init__(self, key: str, reason: str) -> None:
        super().__init__(f"{key} {reason}" if key else reason)
        self.key, self.reason = key, reason


class ItemFacts(NamedTuple):
    """What a plan asks of an item. `categories` is as stored: a text, a list of texts or None."""

    key: str
    set: str = ""
    categories: Any = None
    is_core: bool = False

    @property
    def names(self) -> list[str]:
        return [self.categories] if isinstance(self.categories, str) else list(self.categories or ())


@dataclass(frozen=True)
class AssignmentPlan:
    """A checked plan. `raters`: by group and name; `first`: the same for priorities; `core_size` items are the core."""

    core_size: int = 0
    core_raters: int = 0
    raters: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    most: int | None = None
    most_of: Mapping[str, int] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    first: Mapping[str, Mapping[str, int]] = field(default_factory=dict)

    def redundancy(self, item: ItemFacts, default: int) -> int:
        """How many raters an item's tasks get: by its id, the core, its categories (the most), its set; or `default`.

        Never fewer than the raters on whose lists it is.
        """
        own = self.raters.get("items", {}).get(item.key)
        if own is None and item.is_core:
            own = self.core_raters
        if own is None:
            own = _greatest(self.raters.get("categories", {}), item.names)
        if own is None:
            own = self.raters.get("sets", {}).get(item.set)
        return max(default if own is None else own, len(self.listed_for(item.key)))

    def priority(self, item: ItemFacts) -> int:
        """How early an item is given out, 0 (last) to HIGHEST (first): the greatest that applies."""
        given = [self.first.get("items", {}).get(item.key), self.first.get("sets", {}).get(item.set)]
        found = [*given, _greatest(self.first.get("categories", {}), item.names)]
        return max((one for one in found if one is not None), default=0)

    def listed_for(self, item: str) -> list[str]:
        """The raters on whose lists an item is, by name; slots are kept for them in this order."""
        return self._raters_by_item.get(item, [])

    @cached_property
    def _raters_by_item(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for rater in sorted(self.lists):
            for item in self.lists[rater]:
                found.setdefault(item, []).append(rater)
        return found

    @cached_property
    def all_named(self) -> frozenset[str]:
        """The ids of all items that the plan names."""
        listed = {item for items in self.lists.values() for item in items}
        return frozenset(listed | set(self.raters.get("items", {})) | set(self.first.get("items", {})))


def _greatest(given: Mapping[str, int], names: Collection[str]) -> int | None:
    return max((given[name] for name in names if name in given), default=None)


NO_PLAN = AssignmentPlan()


def plan_of(study: Study) -> AssignmentPlan | None:
    """The plan of a study, or None."""
    given = study.options.get(OPTION)
    return None if given is None else read_plan(given)


def cap_of(study: Study, rater: str) -> int | None:
    """The most tasks that a rater may hold and answer; None if the study sets no limit."""
    plan = study.options.get(OPTION) or {}
    cap: int | None = plan.get("most_of", {}).get(rater, plan.get("most"))
    return cap


def kept_for(study: Study, rater: str) -> str | None:
    """The `kept_for` of slots that a rater may take: their name if they have a list, or ""; None without lists."""
    lists = (study.options.get(OPTION) or {}).get("lists")
    return None if not lists else rater if rater in lists else ""


def read_plan(given: Any) -> AssignmentPlan:
    """Check the value of the option. Raises PlanInvalidError."""
    _mapping(given, "", "must be a mapping of keys to values")
    for key in given:
        if key not in KEYS:
            raise PlanInvalidError(key, f"is unknown; a plan has {', '.join(KEYS)}")
    core = given.get("core", {"items": 0, "raters": 1})
    if not isinstance(core, dict) or set(core) != {"items", "raters"}:
        raise PlanInvalidError("core", "must be {items: number, raters: number}")
    raters = {name: _numbers(given.get(name, {}), name, 1, MOST_RATERS) for name in GROUPS}
    priority = _mapping(given.get("priority", {}), "priority", "must be {sets, categories, items: {name: number}}")
    if not set(priority) <= set(GROUPS):
        raise PlanInvalidError("priority", "must be {sets, categories, items: {name: number}}")
    first = {name: _numbers(priority.get(name, {}), f"priority.{name}", 0, HIGHEST) for name in GROUPS}
    for names, key in ((raters["sets"], "sets"), (first["sets"], "priority.sets")):
        if not set(names) <= set(Item.Set.values):
            raise PlanInvalidError(key, f"must be among {', '.join(Item.Set.values)}")
    plan = AssignmentPlan(
        core_size=_number(core["items"], "core.items", 0, MOST_TASKS),
        core_raters=_number(core["raters"], "core.raters", 1, MOST_RATERS),
        raters=raters,
        most=None if given.get("most") is None else _number(given["most"], "most", 1, MOST_TASKS),
        most_of=_numbers(given.get("most_of", {}), "most_of", 0, MOST_TASKS),
        lists=_lists(given.get("lists", {})),
        first=first,
    )
    if len(plan.all_named) > MOST_NAMED or sum(map(len, plan.lists.values())) > MOST_NAMED:
        raise PlanInvalidError("", f"may name at most {MOST_NAMED} items")
    return plan


def _mapping(value: Any, key: str, reason: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise PlanInvalidError(key, reason)
    return value


def _number(value: Any, key: str, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise PlanInvalidError(key, f"must be a whole number from {least} to {most}")
    return value


def _numbers(value: Any, key: str, least: int, most: int) -> dict[str, int]:
    _mapping(value, key, "must be {name: number}")
    return {name: _number(number, f"{key}.{name}", least, most) for name, number in value.items()}


def _lists(value: Any) -> dict[str, tuple[str, ...]]:
    """The lists of items by rater."""
    must = "must be {rater: [item ids]}"
    _mapping(value, "lists", must)
    for rater, items in value.items():
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise PlanInvalidError(f"lists.{rater}", must)
        if len(set(items)) < len(items):
            raise PlanInvalidError(f"lists.{rater}", "names an item twice")
    return {rater: tuple(items) for rater, items in value.items()}


def why_not(value: Any) -> str:
    """What is wrong with a value of the option; empty if nothing is."""
    try:
        read_plan(value)
    except PlanInvalidError as problem:
        return str(problem)
    return ""


def in_core(number: int, size: int, items: int, start: int) -> bool:
    """Whether item `number` (from 0, by import) of `items` is one of the `size` items of the core.

    They are spread evenly over the order of import, from a place that `start` decides; exactly `size` of them.
    """
    if size >= items:
        return size > 0
    return (number * size + start) % items < size
