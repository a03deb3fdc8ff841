"""How the topics, seats and groups of a study fill up, as tables for its researchers.

Groups and seats follow from what people said about themselves. A count that grows with somebody's answer would tell
which group they are in, so these tables say only how full a group is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count

from annotation.models import Slot, Study
from annotation.studies.batches import FIRST
from annotation.studies.kept_counts import is_large, kept_counts
from parts.routing.models import QuotaMember, RoutingQuota
from parts.routing.plan import GroupQuota, GroupRule, RoutingSpec, routing_of
from parts.routing.quotas import SHARE, WHOLE, group_key, raters_in

LANES = "lanes"
"""The subject of counts by lane, which a worker keeps for large studies."""
Cells = list[tuple[str, int | str | None]]


@dataclass(frozen=True)
class FillRow:
    """A line of a table: its name and its cells with their headings."""

    name: str
    cells: Cells


@dataclass(frozen=True)
class FillSection:
    """One table: what its rows are, and its headings."""

    title: str
    first: str
    rows: Sequence[FillRow]
    about: str = ""

    @property
    def heads(self) -> list[str]:
        return [label for label, _ in self.rows[0].cells] if self.rows else []


@dataclass(frozen=True)
class FillTable:
    """All tables; a large study's places were counted by a worker at `counted_at`."""

    sections: Sequence[FillSection] = field(default_factory=list)
    counted_at: datetime | None = None
    is_counting: bool = False


def fill_table(study: Study) -> FillTable | None:
    """The tables of a study, or None if it has no routing. Raises ImportPendingError."""
    routing = routing_of(study)
    if routing is None:
        return None
    kept = kept_counts(study, LANES) if is_large(study) else None
    figures = kept.figures if kept else count_lanes(study)
    sections = _place_sections(routing, figures) if figures else []
    sections += [_group_section(study, group) for group in routing.groups]
    sections += _own_sections(study, routing)
    return FillTable(sections, kept.read_at if kept else None, kept is not None and not kept.is_current)


def _place_sections(routing: RoutingSpec, figures: Mapping[str, Any]) -> list[FillSection]:
    """Tables of topics and of seats, from the same counts."""
    names, found = routing.topics.names, []
    parts = [(lane - 1, state, count) for lane, state, count in figures["lanes"] if lane > 0]
    if names:
        rows = [
            _places(name, [(s, n) for lane, s, n in parts if lane // routing.width == topic])
            for topic, name in enumerate([*names, "no topic"])
        ]
        found.append(FillSection("Topics", "Topic", rows))
    if routing.seats:
        values = ["anybody", *routing.seats.values]
        rows = [
            _seat(name, [(s, n) for lane, s, n in parts if lane % routing.width == seat])
            for seat, name in enumerate(values)
        ]
        found.append(FillSection("Places of each task", "For", rows))
    return found


def _places(name: str, counts: Sequence[tuple[str, int]]) -> FillRow:
    by_state = {state: sum(n for one, n in counts if one == state) for state in Slot.State.values}
    total = sum(by_state.values())
    share = f"{100 * by_state['filled'] / total:.0f} %" if total else None
    cells: Cells = [("Places", total), ("Answered", by_state["filled"]), ("In work", by_state["held"])]
    return FillRow(name, [*cells, ("Open", by_state["open"]), ("Share answered", share)])


def _seat(name: str, counts: Sequence[tuple[str, int]]) -> FillRow:
    total, filled = sum(n for _, n in counts), sum(n for state, n in counts if state == "filled")
    return FillRow(name, [("Places", total), ("Share answered", f"{10 * (10 * filled // total)} %" if total else None)])


def _group_section(study: Study, group: GroupRule) -> FillSection:
    known = dict(RoutingQuota.objects.filter(study=study, rater=None).values_list("key", "taken"))
    rows = []
    for quota in group.quotas:
        key = group_key(group.source, quota.value)
        taken, raters = known.get(key, 0), raters_in(study, key)
        cells: Cells = [
            ("State", _state(quota, taken, raters)), ("At least", quota.least), ("At most", quota.most),
            ("Most raters", quota.raters),
        ]  # fmt: skip
        rows.append(FillRow(quota.value, cells))
    return FillSection(f"Groups: {group.source.question}", "Answer", rows)


def _state(quota: GroupQuota, taken: int, raters: int) -> str:
    if (quota.most is not None and taken >= quota.most) or (quota.raters is not None and raters >= quota.raters):
        return "full"
    return "has its least" if quota.least and taken >= quota.least else "open"


def _own_sections(study: Study, routing: RoutingSpec) -> list[FillSection]:
    """How near raters are to the most that one may give."""
    if routing.most_share is None:
        return []
    whole = RoutingQuota.objects.filter(study=study, rater=None, key=WHOLE).values_list("most", flat=True).first()
    members = QuotaMember.objects.filter(quota__study=study, quota__key=SHARE).order_by("-quota__taken", "rater__name")
    rows = [
        FillRow(name, [("Answers or in work", taken), ("At most", most)])
        for name, taken, most in members.values_list("rater__name", "quota__taken", "quota__most")[:100]
    ]
    about = f"At most {100 * routing.most_share:g} % of {whole or 0:,} places per rater."
    return [FillSection("Raters", "Rater", rows, about)] if rows else []


def count_lanes(study: Study) -> dict[str, Any]:
    """Count the study's places by lane and state, as plain JSON values."""
    rows = Slot.objects.filter(study=study, place__gte=FIRST).values_list("lane", "state").order_by("lane", "state")
    return {"lanes": [[lane, state, count] for lane, state, count in rows.annotate(Count("pk"))]}
