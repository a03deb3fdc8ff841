"""What an assignment plan makes of a study's items: tasks and slots per group, answers per rater, and whether it works.

Each item is counted as planning sees it: at once in a small study, by workers in a large one. A large study's preview
of another plan than the one that was counted is made from the counts of sets and categories.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.models import Membership, Rater, Study
from annotation.models.people import Role
from annotation.pools import main_items, planned_items
from annotation.protocols import protocols
from annotation.studies.assignment_plan import NO_PLAN, OPTION, AssignmentPlan, ItemFacts, plan_of, read_plan
from annotation.studies.kept_counts import MOST_AT_ONCE, PLAN, KeptCounts, exceeds, kept_counts
from annotation.studies.planning import core_of, outputs_of

CHUNK = 2500
UNBOUNDED = 10**9
Group = tuple[str, tuple[str, ...]]
"""A set and categories."""
RowKey = tuple[str, int, int]


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


def plan_figures(study: Study) -> tuple[Mapping[str, Any] | None, KeptCounts | None]:
    """What `count_groups` gives, or None while a large study is counted; and of when kept counts are."""
    if not exceeds(main_items(study), MOST_AT_ONCE):
        return count_groups(study), None
    kept = kept_counts(study, PLAN)
    return kept.figures if kept.are_there else None, kept


def groups_in(figures: Mapping[str, Any]) -> dict[Group, tuple[int, int]]:
    """The items and tasks of each group."""
    return {(one, tuple(names)): (items, tasks) for one, names, items, tasks in figures["groups"]}


def count_groups(study: Study) -> dict[str, Any]:
    """Count items and tasks by set and categories, and what the study's plan makes, as plain JSON values."""
    items: Counter[Group] = Counter()
    tasks: Counter[Group] = Counter()
    made = PlanCounts()
    plan = plan_of(study) or NO_PLAN
    for facts, count in _items_of(study, plan):
        group = (facts.set, tuple(sorted(facts.names)))
        items[group] += 1
        tasks[group] += count
        made.add(study, plan, facts, count)
    groups = [[one, list(names), items[one, names], tasks[one, names]] for one, names in sorted(items)]
    return {"groups": groups, "plan": study.options.get(OPTION), "redundancy": study.redundancy, **made.as_json(plan)}


def _items_of(study: Study, plan: AssignmentPlan) -> Iterator[tuple[ItemFacts, int]]:
    """The items that count, as the plan sees them, each with the number of its tasks."""
    is_core, protocol, number, last = core_of(study, plan), protocols()[study.protocol], 0, 0
    columns = ("pk", "withdrawn_at", "key", "set", "categories")
    while rows := list(planned_items(study).filter(pk__gt=last).order_by("pk").values_list(*columns)[:CHUNK]):
        outputs = outputs_of([row[0] for row in rows])
        for pk, withdrawn_at, key, item_set, categories in rows:
            if withdrawn_at is None:
                plans = protocol.plan([name for _, name in outputs.get(pk, [])], study.options, number)
                count = sum(protocol.flow.needs_slots(one.variant) for one in plans)
                yield ItemFacts(key, item_set, categories, is_core(number)), count
            number += 1
        last = rows[-1][0]


@dataclass
class PlanCounts:
    """The items and tasks of each row of a plan's table, the tasks on each list, and the named items that exist.

    A row's key is its name, its raters and its priority.
    """

    items: Counter[RowKey] = field(default_factory=Counter)
    tasks: Counter[RowKey] = field(default_factory=Counter)
    listed: Counter[str] = field(default_factory=Counter)
    named: set[str] = field(default_factory=set)

    def add(self, study: Study, plan: AssignmentPlan, facts: ItemFacts, tasks: int) -> None:
        """Count an item."""
        if facts.key in plan.all_named:
            name = "Named items"
            self.named.add(facts.key)
            for rater in plan.listed_for(facts.key):
                self.listed[rater] += tasks
        else:
            name = "Core" if facts.is_core else _title(plan, facts)
        row = (name, plan.redundancy(facts, study.redundancy), plan.priority(facts))
        self.items[row] += 1
        self.tasks[row] += tasks

    def as_json(self, plan: AssignmentPlan) -> dict[str, Any]:
        """The counts as plain JSON values, as `counts_in` reads them."""
        rows = [[*key, self.items[key], self.tasks[key]] for key in sorted(self.items)]
        return {"rows": rows, "listed": dict(self.listed), "missing": sorted(plan.all_named - self.named)}


def counts_in(figures: Mapping[str, Any]) -> PlanCounts:
    """The counts that are kept for the plan of `figures`."""
    plan = NO_PLAN if figures["plan"] is None else read_plan(figures["plan"])
    found = PlanCounts(listed=Counter(figures["listed"]), named=set(plan.all_named) - set(figures["missing"]))
    for *key, items, tasks in figures["rows"]:
        found.items[tuple(key)], found.tasks[tuple(key)] = items, tasks
    return found


def plan_table(study: Study, plan: AssignmentPlan, figures: Mapping[str, Any]) -> PlanTable:
    """The plan as a table, with the annotators that the study has now; `figures` as `plan_figures` gives them.

    It is exact in a small study, and for the plan with which a large one was counted.
    """
    if is_of_plan(figures, study, plan):
        return table_of(study, plan, counts_in(figures))
    if not exceeds(main_items(study), MOST_AT_ONCE):
        return exact_table(study, plan)
    return table_of(study, plan, _estimated(study, plan, groups_in(figures)))


def is_of_plan(figures: Mapping[str, Any], study: Study, plan: AssignmentPlan) -> bool:
    """Whether kept figures are of this plan, with the study's present number of raters."""
    if "rows" not in figures or figures["redundancy"] != study.redundancy:
        return False
    return plan == (NO_PLAN if figures["plan"] is None else read_plan(figures["plan"]))


def exact_table(study: Study, plan: AssignmentPlan) -> PlanTable:
    """The table with each item read: for small studies."""
    counts = PlanCounts()
    for facts, tasks in _items_of(study, plan):
        counts.add(study, plan, facts, tasks)
    return table_of(study, plan, counts)


def _estimated(study: Study, plan: AssignmentPlan, groups: Mapping[Group, tuple[int, int]]) -> PlanCounts:
    """Counts made from those of the groups, of which each has an equal share of the core; named items have none."""
    counts = PlanCounts()
    left = {group: list(numbers) for group, numbers in groups.items()}
    average = sum(tasks for _, tasks in groups.values()) / max(sum(items for items, _ in groups.values()), 1)
    columns = ("key", "set", "categories")
    for told in main_items(study).filter(key__in=sorted(plan.all_named)).values_list(*columns):
        facts = ItemFacts(*told)
        group = (facts.set, tuple(sorted(facts.names)))
        items, tasks = groups.get(group, (0, 0))
        own = round(tasks / items if items else average)
        counts.add(study, plan, facts, own)
        if group in left:
            left[group][0] -= 1
            left[group][1] -= own
    core = _core_parts(plan, {group: items for group, (items, _) in left.items()})
    for (one, names), (items, tasks) in left.items():
        facts, part = ItemFacts("", one, list(names)), core[one, names]
        row = (_title(plan, facts), plan.redundancy(facts, study.redundancy), plan.priority(facts))
        shares = ((("Core", plan.core_raters, plan.priority(facts)), part), (row, items - part))
        for key, number in shares:
            counts.items[key] += number
            counts.tasks[key] += round(tasks * number / items) if items else 0
    return counts


def table_of(study: Study, plan: AssignmentPlan, counts: PlanCounts) -> PlanTable:
    """The table that shows the counts."""
    made = [
        PlanRow(key[0], counts.items[key], counts.tasks[key], *key[1:]) for key in counts.items if counts.items[key] > 0
    ]
    made.sort(key=lambda row: (-row.priority, row.name == "All other items", row.name, -row.raters))
    shares = _shares(study, plan, made, counts.listed)
    return PlanTable(made, shares, _problems(plan, made, shares, sorted(plan.all_named - counts.named)))


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
