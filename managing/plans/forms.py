"""The fields of an assignment plan: numbers for groups of items, and for each annotator a limit and a list."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django import forms
from django.core.exceptions import ValidationError

from annotation.models import Membership, Rater, Study
from annotation.models.people import Role
from annotation.studies.assignment_plan import HIGHEST, MOST_RATERS, OPTION, PlanInvalidError, read_plan
from annotation.studies.plan_table import Group
from config.form_fields import WholeNumberField

MOST_SHOWN = 60
"""Groups and annotators with fields of their own; a longer plan is written in the study file."""
LONGEST = 400_000


class PlannedPerson(NamedTuple):
    """An annotator: the number of their membership, their name, and that of their rater, if they have begun."""

    member: int
    name: str
    rater: str


class PlannedGroup(NamedTuple):
    """A set or category; `kind` is its key in a plan."""

    kind: str
    name: str
    items: int


def planned_people(study: Study) -> list[PlannedPerson]:
    """The study's annotators, by the time they joined."""
    people = Membership.objects.filter(study=study, active=True, role=Role.ANNOTATOR, person__is_active=True)
    names = dict(Rater.objects.filter(study=study, person__isnull=False).values_list("person", "name"))
    rows = people.select_related("person").order_by("pk")[:MOST_SHOWN]
    return [PlannedPerson(one.pk, str(one.person), names.get(one.person_id, "")) for one in rows]


def planned_groups(groups: Mapping[Group, tuple[int, int]]) -> list[PlannedGroup]:
    """The sets and categories of a study's items, each with its number of items."""
    found: dict[tuple[str, str], int] = {}
    for (one, names), (items, _) in groups.items():
        for kind, name in [("sets", one), *(("categories", name) for name in names)]:
            if name:
                found[kind, name] = found.get((kind, name), 0) + items
    return [PlannedGroup(*key, items) for key, items in sorted(found.items())[:MOST_SHOWN]]


class PlanForm(forms.Form):
    """A plan; `checked_plan` is what it says. The lists are by rater or, before they have begun, by membership."""

    core_items = WholeNumberField(label="Items in the core", required=False, help_text="Drawn evenly from all items.")
    core_raters = WholeNumberField(
        label="Raters per task in the core", required=False, min_value=1, max_value=MOST_RATERS,
        help_text="All other items get the number of raters of their group or of the study.",
    )  # fmt: skip
    most = WholeNumberField(label="Most tasks per annotator", required=False, min_value=1, help_text="Empty: no limit.")
    named = forms.CharField(
        label="Single items", required=False, max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 4}),
        help_text="One per line: number of raters, priority (0 to 9, or -), item id. For example: 5 9 item-7.",
    )  # fmt: skip

    def __init__(
        self, data: Any, *, study: Study, people: Sequence[PlannedPerson], groups: Sequence[PlannedGroup]
    ) -> None:
        self.people, self.groups, self.now = people, groups, study.options.get(OPTION) or {}
        super().__init__(data, initial=self._initial())
        for place, group in enumerate(groups):
            self.fields[f"raters_{place}"] = WholeNumberField(
                label=f"Raters for {group.name}", required=False, min_value=1, max_value=MOST_RATERS
            )
            self.fields[f"priority_{place}"] = WholeNumberField(
                label=f"Priority of {group.name}", required=False, max_value=HIGHEST
            )
        for person in people:
            self.fields[f"limit_{person.member}"] = WholeNumberField(label=f"Limit of {person.name}", required=False)
            self.fields[f"list_{person.member}"] = forms.CharField(
                label=f"Only these items for {person.name}", required=False, max_length=LONGEST,
                widget=forms.Textarea(attrs={"rows": 2}),
            )  # fmt: skip

    def _initial(self) -> dict[str, Any]:
        plan, core = self.now, self.now.get("core", {})
        priority = plan.get("priority", {})
        found = {"core_items": core.get("items"), "core_raters": core.get("raters"), "most": plan.get("most")}
        for place, group in enumerate(self.groups):
            found[f"raters_{place}"] = plan.get(group.kind, {}).get(group.name)
            found[f"priority_{place}"] = priority.get(group.kind, {}).get(group.name)
        for person in self.people:
            found[f"limit_{person.member}"] = plan.get("most_of", {}).get(person.rater)
            found[f"list_{person.member}"] = "\n".join(plan.get("lists", {}).get(person.rater, ()))
        raters, first = plan.get("items", {}), priority.get("items", {})
        found["named"] = "\n".join(
            f"{raters.get(item, '-')} {first.get(item, '-')} {item}" for item in sorted({*raters, *first})
        )
        return found

    def group_rows(self) -> list[tuple[PlannedGroup, Any, Any]]:
        return [(one, self[f"raters_{place}"], self[f"priority_{place}"]) for place, one in enumerate(self.groups)]

    def person_rows(self) -> list[tuple[PlannedPerson, Any, Any]]:
        return [(one, self[f"limit_{one.member}"], self[f"list_{one.member}"]) for one in self.people]

    def clean_named(self) -> list[tuple[int | None, int | None, str]]:
        found = []
        for number, line in enumerate(self.cleaned_data["named"].splitlines(), 1):
            parts = line.strip().split(maxsplit=2)
            if not parts:
                continue
            if len(parts) < 3 or not all(part == "-" or (part.isascii() and part.isdigit()) for part in parts[:2]):
                raise ValidationError(f"Line {number}: write a number of raters, a priority and an item id.")
            raters, first = (None if part == "-" else int(part[:10]) for part in parts[:2])
            found.append((raters, first, parts[2]))
        return found

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if not self.errors:
            if (given.get("core_items") is None) != (given.get("core_raters") is None):
                raise ValidationError("A core needs both its number of items and its number of raters.")
            try:
                read_plan(self.plan_by(lambda person: person.rater or f"({person.member})"))
            except PlanInvalidError as problem:
                raise ValidationError(f"The plan cannot be followed: {problem}.") from problem
        return given

    def plan_by(self, name: Any) -> dict[str, Any]:
        """The plan as in a study file, without empty parts; `name` gives the rater's name of a person with a field.

        What the form has no fields for stays as it is.
        """
        given, shown = self.cleaned_data, {one.rater for one in self.people}
        plan: dict[str, Any] = {}
        if given.get("core_items"):
            plan["core"] = {"items": given["core_items"], "raters": given["core_raters"]}
        fields = {kind: {one.name for one in self.groups if one.kind == kind} for kind in ("sets", "categories")}
        priority: dict[str, dict[str, int]] = {}
        old = self.now.get("priority", {})
        for kind, names in fields.items():
            plan[kind] = {key: value for key, value in self.now.get(kind, {}).items() if key not in names}
            priority[kind] = {key: value for key, value in old.get(kind, {}).items() if key not in names}
        for place, group in enumerate(self.groups):
            for parts, value in ((plan, given[f"raters_{place}"]), (priority, given[f"priority_{place}"])):
                if value is not None:
                    parts[group.kind][group.name] = value
        plan["items"] = {item: raters for raters, _, item in given["named"] if raters is not None}
        priority["items"] = {item: first for _, first, item in given["named"] if first is not None}
        plan["most"] = given["most"]
        for key in ("most_of", "lists"):
            plan[key] = {rater: value for rater, value in self.now.get(key, {}).items() if rater not in shown}
        for person in self.people:
            limit, items = given[f"limit_{person.member}"], given[f"list_{person.member}"].split("\n")
            listed = [item.strip() for item in items if item.strip()]
            if limit is not None:
                plan["most_of"][name(person)] = limit
            if listed:
                plan["lists"][name(person)] = listed
        plan["priority"] = {key: value for key, value in priority.items() if value}
        return {key: value for key, value in plan.items() if value}
