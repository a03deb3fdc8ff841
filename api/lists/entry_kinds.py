"""The lists of what is in a study: which rows each has, by what they are filtered, and how they are entries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.utils.dateparse import parse_datetime
from rest_framework.exceptions import ParseError

from annotation.models import Adjudication, Annotation, Assignment, Item, JudgeRun, Rater, Rating, Slot, Study
from annotation.pools import COPIES, no_copies, pools
from api.lists import entries
from api.lists.entries import Entry
from sessions.models import RevisionSession

Condition = Callable[[str], Q]
TRUE, FALSE = "true", "false"
LONGEST_NAME = 300


@dataclass(frozen=True)
class EntryKind:
    """A list: the `rows` of a study, their path to items (none: in the order of primary keys), and the filters."""

    key: str
    rows: Callable[[Study], QuerySet[Any]]
    entries: Callable[[Study, Sequence[Any]], list[Entry]]
    filters: Mapping[str, Condition]
    item_path: str = ""
    since: str = ""
    timed: Callable[[Study], QuerySet[Any]] | None = None
    """Rows with an index in the order of `since`, if the list has one; they may be of other studies, too."""
    address: str = ""
    """The last part of its address; by default its key."""
    names_units: bool = False
    """Whether the order of rows tells systems apart, so that it is hidden while a study is blinded."""
    has_results: bool = False
    """Whether entries say how people judged: reading them is seeing results (`reports/pages/seen_results.py`)."""
    size: int = 100
    most: int = 500
    words: Mapping[str, str] = field(default_factory=dict)
    """What the filters mean, for the documentation."""


def one_of(path: str, values: Sequence[str]) -> Condition:
    """The condition that a column has the given value, one of `values`."""

    def condition(given: str) -> Q:
        if given not in values:
            raise ParseError(f"{path.rpartition('__')[2]} must be one of {', '.join(values)}.")
        return Q(**{path: given})

    return condition


def called(path: str) -> Condition:
    """The condition that a column has the given text."""

    def condition(given: str) -> Q:
        if "\x00" in given or len(given) > LONGEST_NAME:
            raise ParseError("A filter has a text that cannot be a name.")
        return Q(**{path: given})

    return condition


def whether(yes: Q, *, both: bool = False) -> Condition:
    """The condition for `true`, and with `both` its opposite for `false`."""

    def condition(given: str) -> Q:
        if given == TRUE:
            return yes
        if given == FALSE and both:
            return ~yes
        raise ParseError(f"The filter must be {TRUE}{f' or {FALSE}' if both else ''}.")

    return condition


def moment(given: str) -> datetime:
    """A time with its zone."""
    try:
        at = parse_datetime(given)
    except (ValueError, ValidationError):
        at = None
    if at is None or at.tzinfo is None or not 1900 < at.year < 9990:
        raise ParseError("since must be a time with its zone, such as 2026-11-22T18:00:00Z.")
    return at


def _of_item(rows: QuerySet[Any], path: str, fields: Sequence[str]) -> QuerySet[Any]:
    return rows.annotate(of_item=F(path)).values_list(*fields, named=True)


def _assignments(study: Study) -> QuerySet[Any]:
    slot = Slot.objects.filter(task=OuterRef("task"), holder=OuterRef("rater"))
    rows = Assignment.objects.filter(no_copies(study, "task__item")).annotate(
        has_draft=Exists(Assignment.objects.filter(pk=OuterRef("pk"), draft__isnull=False).exclude(draft={})),
        place=Subquery(slot.values("state")[:1]),
        lease_until=Subquery(slot.values("lease_until")[:1]),
    )
    return _of_item(rows, "task__item", entries.ASSIGNMENT)


def _items(study: Study) -> QuerySet[Item]:
    items = Item.objects.filter(study=study).exclude(pool=COPIES)
    return items.defer("document", "metadata", "content")


def _annotations(study: Study) -> QuerySet[Annotation]:
    return Annotation.objects.filter(no_copies(study, "task__item"))


def _ratings(study: Study) -> QuerySet[Rating]:
    return Rating.objects.filter(no_copies(study), study=study)


BY_RATER = {"rater": called("rater__name")}
CURRENT = {"current": whether(Q(is_current=True))}
KINDS = {
    kind.key: kind
    for kind in (
        EntryKind(
            "items", _items, entries.item_entries,
            {"id": called("key"), "pool": one_of("pool", tuple(pools())),
             "withdrawn": whether(Q(withdrawn_at__isnull=False), both=True)},
            size=20, most=100,
        ),
        EntryKind(
            "raters", lambda study: Rater.objects.filter(study=study), entries.rater_entries,
            {"name": called("name"), "kind": one_of("kind", Rater.Kind.values)},
        ),
        EntryKind(
            "assignments", _assignments, entries.assignment_entries,
            {**BY_RATER, "flagged": whether(~Q(flag=""))}, "task__item", "created_at",
        ),
        EntryKind(
            "annotations", lambda study: _of_item(_annotations(study), "task__item", entries.ANNOTATION),
            entries.annotation_entries,
            {**BY_RATER, **CURRENT, "status": one_of("status", Annotation.Status.values)}, "task__item", "submitted_at",
            timed=_annotations, has_results=True,
        ),
        EntryKind(
            "ratings", lambda study: _of_item(_ratings(study), "item", entries.RATING),
            entries.rating_entries,
            {**BY_RATER, **CURRENT, "kind": one_of("rater__kind", Rater.Kind.values),
             "question": called("question__key")},
            "item", "submitted_at", timed=_ratings, names_units=True, has_results=True,
        ),
        EntryKind(
            "sessions", lambda study: _of_item(RevisionSession.objects.all(), "item", entries.SESSION),
            entries.session_entries,
            {**BY_RATER, "status": one_of("status", RevisionSession.Status.values)}, "item", "started_at",
            address="revision-sessions", has_results=True,
        ),
        EntryKind(
            "runs",
            lambda study: JudgeRun.objects.filter(rater__study=study).select_related("rater", "replaced_by__rater"),
            entries.run_entries, {**BY_RATER, "status": one_of("status", JudgeRun.Status.values)},
        ),
        EntryKind(
            "adjudications", lambda study: _of_item(Adjudication.objects.all(), "item", entries.ADJUDICATION),
            entries.adjudication_entries, {**CURRENT, "question": called("question__key")}, "item", "at",
            names_units=True, has_results=True,
        ),
    )
}  # fmt: skip
