"""What an assignment plan makes of a study's items: tasks and slots per group, answers per rater, and whether it works.

Items are counted by set and categories: at once in a small study, by workers in a large one. Items that the plan names
are read one by one; a plan names few.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Membership, Rater, Study
from annotation.models.people import Role
from annotation.pools import main_items
from annotation.protocols import protocols
from annotation.studies.assignment_plan import AssignmentPlan, ItemFacts
from annotation.studies.kept_counts import MOST_AT_ONCE, PLAN, KeptCounts, exceeds, kept_counts
from annotation.studies.planning import outputs_of

CHUNK = 1000
UNBOUNDED = 10**9
Group = tuple[str, tuple[str, ...]]
"""A set and categories."""


@dataclass(frozen=True)
class PlanRow:
    """A group of items that get the same number of raters; `items` and `tasks` are rounded for part of a group."""

    name: str
    items: int
    tasks: int
    raters: int
    priority: int

    @property
    def slots(self) -> int:
        return self.tasks * self.raters


@dataclass(frozen=True)
class ExpectedAnswers:
    """What a rater is expected to answer: `listed` tasks are theirs alone. `cap`: the most, if the plan says so."""

    name: str
    cap: int | None
    listed: int | None
    expected: int


@dataclass(frozen=True)
class PlanTable:
    """A plan as a table; `problems` say in sentences why the raters do not suffice."""

    rows: Sequence[PlanRow]
    shares: Sequence[ExpectedAnswers]
    problems: Sequence[str]

    @property
    def items(self) -> int:
        return sum(row.items for row in self.rows)

    @property
    def tasks(self) -> int:
        return sum(row.tasks for row in self.rows)

    @property
    def slots(self) -> int:
        return sum(row.slots for row in self.rows)


def plan_groups(study: Study) -> tuple[dict[Group, tuple[int, int]] | None, KeptCounts | None]:
    """The items and tasks of each group, or None while they are counted; and of when kept counts are."""
    kept = None
    if exceeds(main_items(study), MOST_AT_ONCE):
        kept = kept_counts(study, PLAN)
        if not kept.are_there:
            return None, kept
    figures = kept.figures if kept else count_groups(study)
    return {(one, tuple(names)): (items, tasks) for one, names, items, tasks in figures["groups"]}, kept


def count_groups(study: Study) -> dict[str, Any]:
    """Count items and tasks by set and categories, as plain JSON values."""
    items: Counter[Group] = Counter()
    tasks: Counter[Group] = Counter()
    number, last = 0, 0
    while rows := list(_facts(main_items(study).filter(pk__gt=last).order_by("pk")[:CHUNK])):
        counts = _tasks_of(study, [pk for pk, _ in rows], number)
        for pk, facts in rows:
            group = (facts.set, tuple(sorted(facts.names)))
            items[group] += 1
            tasks[group] += counts[pk]
        number, last = number + len(rows), rows[-1][0]
    return {"groups": [[one, list(names), items[one, names], tasks[one, names]] for one, names in sorted(items)]}


def _facts(items: Any) -> Iterable[tuple[int, ItemFacts]]:
    for pk, *told in items.values_list("pk", "key", "set", "categories"):
        yield pk, ItemFacts(*told)


def _tasks_of(study: Study, items: Sequence[int], number: int) -> dict[int, int]:
    """How many tasks each item gets; `number` is that of the first in the order of import."""
    protocol, outputs = protocols()[study.protocol], outputs_of(items)
    found = {}
    for place, pk in enumerate(items):
        plans = protocol.plan([name for _, name in outputs.get(pk, [])], study.options, number + place)
        found[pk] = sum(protocol.flow.needs_slots(one.variant) for one in plans)
    return found


def plan_table(study: Study, plan: AssignmentPlan, groups: Mapping[Group, tuple[int, int]]) -> PlanTable:
    """The plan as a table, with the annotators that the study has now."""
    left = {group: list(counts) for group, counts in groups.items()}
    rows: Counter[tuple[str, int, int]] = Counter()
    tasks: Counter[tuple[str, int, int]] = Counter()
    named = list(_facts(main_items(study).filter(key__in=sorted(plan.named_items()))))
    own = _tasks_of(study, [pk for pk, _ in named], 0)
    listed: Counter[str] = Counter()
    for pk, facts in named:
        group = (facts.set, tuple(sorted(facts.names)))
        if group in left:
            left[group][0] -= 1
            left[group][1] -= own[pk]
        row = ("Named items", plan.redundancy(facts, study.redundancy), plan.priority(facts))
        rows[row] += 1
        tasks[row] += own[pk]
        for rater in plan.listed_for(facts.key):
            listed[rater] += own[pk]
    core = _core_parts(plan, {group: items for group, (items, _) in left.items()})
    for (one, names), (items, count) in left.items():
        facts, part = ItemFacts("", one, list(names)), core[one, names]
        row = (_title(plan, facts), plan.redundancy(facts, study.redundancy), plan.priority(facts))
        for key, number in ((("Core", plan.core_raters, plan.priority(facts)), part), (row, items - part)):
            rows[key] += number
            tasks[key] += round(count * number / items) if items else 0
    made = [PlanRow(key[0], rows[key], tasks[key], *key[1:]) for key in rows if rows[key] > 0]
    made.sort(key=lambda row: (-row.priority, row.name == "All other items", row.name, -row.raters))
    shares = _shares(study, plan, made, listed)
    missing = sorted(plan.named_items() - {facts.key for _, facts in named})
    return PlanTable(made, shares, _problems(plan, made, shares, missing))


def _core_parts(plan: AssignmentPlan, items: Mapping[Group, int]) -> dict[Group, int]:
    """How many of each group's items are in the core, which is spread evenly: largest remainders first."""
    total = sum(items.values())
    size = min(plan.core_size, total)
    parts = {group: size * count // total if total else 0 for group, count in items.items()}
    rests = sorted(items, key=lambda group: -(size * items[group] % total) if total else 0)
    for group in rests[: size - sum(parts.values())]:
        parts[group] += 1
    return parts


def _title(plan: AssignmentPlan, facts: ItemFacts) -> str:
    """What makes a group different."""
    names = [
        name
        for name in facts.names
        if name in plan.raters.get("categories", {}) or name in plan.first.get("categories", {})
    ]
    if names:
        return f"Category {', '.join(names)}"
    if facts.set in plan.raters.get("sets", {}) or facts.set in plan.first.get("sets", {}):
        return f"Set {facts.set}"
    return "All other items"


def _shares(
    study: Study, plan: AssignmentPlan, rows: Sequence[PlanRow], listed: Mapping[str, int]
) -> list[ExpectedAnswers]:
    """What each annotator is expected to answer: their list, or an equal part of the rest up to their cap."""
    people = Membership.objects.filter(study=study, active=True, role=Role.ANNOTATOR, person__is_active=True)
    named = dict(Rater.objects.filter(study=study, person__isnull=False).values_list("person", "name"))
    names = [named.get(person, "") for person in people.order_by("pk").values_list("person", flat=True)]
    caps = {place: plan.most_of.get(name, plan.most) for place, name in enumerate(names)}
    free = [place for place, name in enumerate(names) if name not in plan.lists]
    most, rest = sum(row.tasks for row in rows), sum(row.slots for row in rows) - sum(listed.values())
    parts = dict.fromkeys(free, 0)
    for turn, place in enumerate(sorted(free, key=lambda one: UNBOUNDED if caps[one] is None else caps[one] or 0)):
        wanted = -(-max(rest, 0) // (len(free) - turn))
        cap = caps[place]
        parts[place] = min(wanted, most, UNBOUNDED if cap is None else cap)
        rest -= parts[place]
    shares = []
    for place, name in enumerate(names):
        own = listed.get(name, 0) if name in plan.lists else None
        cap = caps[place]
        expected = parts.get(place, 0) if own is None else own if cap is None else min(own, cap)
        shares.append(ExpectedAnswers(name or f"annotator {place + 1}, not started", cap, own, expected))
    return shares


def _counted(annotators: int) -> str:
    return "1 annotator" if annotators == 1 else f"{annotators} annotators"


def _problems(
    plan: AssignmentPlan, rows: Sequence[PlanRow], shares: Sequence[ExpectedAnswers], missing: Sequence[str]
) -> list[str]:
    found = []
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        found.append(f"The plan names items that are not in the study: {', '.join(missing[:5])}{more}.")
    unknown = sorted(set(plan.lists) - {share.name for share in shares})
    if unknown:
        found.append(f"The plan has lists for raters who are not annotators of the study: {', '.join(unknown)}.")
    most = max((row.raters for row in rows), default=0)
    if most > len(shares):
        found.append(f"Some tasks need {most} raters, but the study has {_counted(len(shares))}.")
    short = sum(row.slots for row in rows) - sum(share.expected for share in shares)
    if short > 0 and shares:
        found.append(f"{short} answers would be missing: the annotators' limits and lists do not cover all tasks.")
    found += [
        f"{share.name} has {share.listed} tasks on their list but may answer only {share.cap}."
        for share in shares
        if share.listed is not None and share.cap is not None and share.listed > share.cap
    ]
    return found
