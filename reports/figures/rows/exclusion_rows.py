"""What a report leaves out of its figures, and what it counts although one may ask: a log from the study's own rows."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Max, Min, Q, QuerySet

from accounts.models import AuditEntry
from annotation.members.standing import excluded
from annotation.models import Annotation, Item, JudgeRun, Rater, Rating, Study
from annotation.pools import COPIES, MAIN, in_main_pool
from reports.figures.rows import Choice, chosen_raters, not_read
from reports.figures.rows.submission_times import chosen_annotations

MOST_LISTED = 100
"""Entries of one kind that are listed one by one; the rest is counted."""
RESTORED = "item restored"
NOT_OF_DATA = frozenset({"item_restored"})
"""Rows that only the audit shows."""
Status = Annotation.Status

Row = dict[str, Any]


def exclusion_log(study: Study, choice: Choice, said: Mapping[str, Any]) -> list[Row]:
    """The log in a fixed order, without rows of nothing.

    A row is {kind, number, of (what is counted), left_out (False: it counts), first, last (dates, None if unknown),
    entries}. Entries are {name, reason, at, ratings}. `said` is the report's own `guidelines` entry.
    """
    current = Rating.objects.filter(study=study, is_current=True)
    in_main = current.filter(in_main_pool(study))
    rows = [
        _withdrawn(study, current),
        _restored(study),
        _other_pools(study),
        *_raters(study, in_main, choice),
        _excluded_raters(study, in_main, choice),
        _versions(said),
        *_annotations(study, choice),
        _shown_others(said),
        *_machines(study, choice),
        _revised(study, choice),
    ]
    return [row for row in rows if row["number"]]


def of_data(log: Sequence[Row]) -> list[Row]:
    """The rows of a log that the study's data show, also where the study was imported."""
    return [row for row in log if row["kind"] not in NOT_OF_DATA]


def _row(kind: str, number: int, of: str, left_out: bool = True, **more: Any) -> Row:
    return {"kind": kind, "number": number, "of": of, "left_out": left_out, "first": None, "last": None,
            "entries": [], **more}  # fmt: skip


def _withdrawn(study: Study, current: QuerySet[Rating]) -> Row:
    items = Item.objects.filter(study=study, pool=MAIN, withdrawn_at__isnull=False).order_by("withdrawn_at", "pk")
    listed = list(items.values_list("pk", "key", "withdrawn_reason", "withdrawn_at")[:MOST_LISTED])
    counts = dict(
        current.filter(item__in=[pk for pk, *_ in listed]).values_list("item").annotate(Count("pk")).order_by()
    )
    entries = [
        {"name": key, "reason": reason, "at": _text(at), "ratings": counts.get(pk, 0)} for pk, key, reason, at in listed
    ]
    return _row("item_withdrawn", items.count(), "items", entries=entries, **_span(items, "withdrawn_at"))


def _restored(study: Study) -> Row:
    """Items that were withdrawn for a while; they count again."""
    entries = AuditEntry.objects.filter(study=study.slug, action=RESTORED).order_by("at", "pk")
    listed = [
        {"name": subject.removeprefix("item "), "reason": (old or {}).get("reason", ""), "at": at.isoformat(),
         "ratings": None}
        for subject, old, at in entries.values_list("subject", "old", "at")[:MOST_LISTED]
    ]  # fmt: skip
    return _row("item_restored", entries.count(), "items", left_out=False, entries=listed, **_span(entries, "at"))


def _other_pools(study: Study) -> Row:
    items = Item.objects.filter(study=study).exclude(pool__in=(MAIN, COPIES)).order_by()
    counts = sorted(items.values_list("pool").annotate(Count("pk")))
    entries = [{"name": pool, "reason": "", "at": None, "ratings": count} for pool, count in counts]
    return _row("other_pool", sum(count for _, count in counts), "items", entries=entries)


def _raters(study: Study, in_main: QuerySet[Rating], choice: Choice) -> list[Row]:
    """Raters whose ratings the reader has not chosen: people by name, machines by name and kind."""
    others = in_main.filter(~chosen_raters(choice.kinds, choice.names))
    counts = others.values_list("rater__kind", "rater__name").annotate(Count("pk")).order_by()
    found: dict[bool, list[Row]] = {True: [], False: []}
    for kind, name, ratings in sorted(counts):
        found[kind == Rater.Kind.HUMAN].append({"name": name, "reason": kind, "at": None, "ratings": ratings})
    return [
        _row(name, len(entries), "raters", entries=entries[:MOST_LISTED])
        for name, entries in (("person_not_chosen", found[True]), ("machine_not_chosen", found[False]))
    ]


def _excluded_raters(study: Study, in_main: QuerySet[Rating], choice: Choice) -> Row:
    """Raters whom a researcher has excluded, with whether their ratings count here as the reader chose."""
    chosen = chosen_raters(choice.kinds, choice.names)
    counts = dict(in_main.filter(chosen).values_list("rater").annotate(Count("pk")).order_by())
    found = [one for one in excluded(study).order_by("pk") if one.rater_id in counts]
    entries = [
        {"name": one.rater.name, "reason": one.reason, "at": _text(one.at), "ratings": counts[one.rater_id]}
        for one in found
    ]
    left_out = choice.without_excluded
    return _row("rater_excluded", len(found), "raters", left_out=left_out, entries=entries[:MOST_LISTED])


def _versions(said: Mapping[str, Any]) -> Row:
    """People's ratings under other versions of the guidelines, by version."""
    chosen = "none" if said["version"] is None else str(said["version"])
    of_people = said["ratings"] if said.get("left_out", {}).get("people") else {}
    others = {name: count for name, count in of_people.items() if name != chosen}
    entries = [{"name": name, "reason": "", "at": None, "ratings": count} for name, count in others.items()]
    return _row("other_guidelines", sum(others.values()), "ratings", entries=entries)


def _shown_others(said: Mapping[str, Any]) -> Row:
    """Machines' ratings whose judges were shown other versions of the guidelines."""
    return _row("shown_other_guidelines", said.get("left_out", {}).get("machines", 0), "ratings")


def _annotations(study: Study, choice: Choice) -> list[Row]:
    """Answers to tasks that were skipped, flagged or taken back, and those beyond the redundancy, which count."""
    current = Annotation.objects.filter(chosen_annotations(study, choice))
    rows = []
    for kind, condition, left_out in (
        ("skipped", Q(status=Status.SKIPPED), True),
        ("flagged_unanswered", Q(status=Status.FLAGGED), True),
        ("taken_back", Q(status=Status.WITHDRAWN), True),
        ("flagged_answered", Q(status=Status.SUBMITTED) & ~Q(flag=""), False),
        ("surplus", Q(status=Status.SUBMITTED, surplus=True), False),
    ):
        own = current.filter(condition).order_by()
        rows.append(_row(kind, own.count(), "answers", left_out=left_out, **_span(own, "submitted_at")))
    return rows


def _machines(study: Study, choice: Choice) -> list[Row]:
    if choice.only_people:
        return []
    counts = {"other_shapes": 0, "other_reruns": 0}
    for question in study.questions.all():
        for name, count in not_read(study, question, choice).items():
            counts[name] += count
    replaced = JudgeRun.objects.filter(rater__study=study, replaced_by__isnull=False)
    return [_row(kind, count, "ratings") for kind, count in counts.items()] + [
        _row("run_replaced", replaced.count(), "runs")
    ]


def _revised(study: Study, choice: Choice) -> Row:
    """Submitted revisions that a later one of the same answer replaces."""
    earlier = Annotation.objects.filter(
        choice.raters(), in_main_pool(study, "task__item"), rater__study=study,
        is_current=False, status=Status.SUBMITTED,
    ).order_by()  # fmt: skip
    return _row("earlier_revision", earlier.count(), "answers", **_span(earlier, "submitted_at"))


def _span(rows: QuerySet[Any], field: str) -> dict[str, Any]:
    """The dates of the first and the last row."""
    ends = rows.order_by().aggregate(first=Min(F(field)), last=Max(F(field)))
    return {name: None if at is None else at.date().isoformat() for name, at in ends.items()}


def _text(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
