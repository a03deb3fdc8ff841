"""What happened in a study, told from its audit: events with ids and counts, without texts or names of people."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import AuditEntry
from annotation.blinding import is_blind
from annotation.models import Item, Slot, Study, Task
from annotation.studies.planning import is_planned
from parts.webhooks.event_kinds import FLAGGED, SINGLE, STATUS_CHANGED, STATUSES, SUBMITTED, EventKind
from parts.webhooks.models import FinishedWork

MOST_KEYS = 200
"""Keys of items that one event lists."""
TASK = re.compile("task ([0-9]{1,18}) of ")


@dataclass(frozen=True)
class StudyEvent:
    """An event of one study."""

    kind: str
    at: datetime
    data: dict[str, Any]


def events_of(study: Study, entries: Sequence[AuditEntry], wanted: Collection[str]) -> list[StudyEvent]:
    """The events of the `wanted` kinds in these entries of the study's audit, which are in their order.

    Call it once per entry, in a transaction: it remembers which items are finished.
    """
    found = [event for one in entries if (event := _single(study, one)) is not None]
    found += _tasks(study, EventKind.TASKS_FLAGGED, [one for one in entries if one.action == FLAGGED])
    submitted = [one for one in entries if one.action == SUBMITTED]
    found += _tasks(study, EventKind.ANSWERS_SUBMITTED, submitted)
    if submitted and not {EventKind.ITEMS_FINISHED, EventKind.STUDY_FINISHED}.isdisjoint(wanted):
        found += _finished(study, submitted)
    return [event for event in found if event.kind in wanted]


def _single(study: Study, entry: AuditEntry) -> StudyEvent | None:
    if entry.action == STATUS_CHANGED:
        kind = STATUSES.get(str((entry.new or {}).get("status")))
        return None if kind is None else StudyEvent(kind, entry.at, {"study": study.slug})
    single = SINGLE.get(entry.action)
    if single is None:
        return None
    data: dict[str, Any] = {"study": study.slug}
    new = entry.new if isinstance(entry.new, dict) else {}
    if single.kind == EventKind.RUN_ENDED:
        # A judge may be one of the models whose outputs are judged, so a blinded study does not name the run.
        data |= {"run": None if is_blind(study) else entry.subject, "status": single.state or new.get("status")}
    elif single.kind == EventKind.REPORT_FROZEN:
        data["report"] = entry.subject
    elif single.kind == EventKind.EXPORT_READY:
        data["format"] = new.get("format")
    return StudyEvent(single.kind, entry.at, data)


def _tasks(study: Study, kind: EventKind, entries: Sequence[AuditEntry]) -> list[StudyEvent]:
    """One event for all of the entries, with the items that they are about."""
    if not entries:
        return []
    keys = [item.key for item in _items(entries)]
    return [StudyEvent(kind, entries[-1].at, {"study": study.slug, "count": len(entries), **_listed(keys)})]


def _listed(keys: Sequence[str]) -> dict[str, Any]:
    return {"items": list(keys[:MOST_KEYS]), "more_items": max(len(keys) - MOST_KEYS, 0)}


def _items(entries: Sequence[AuditEntry]) -> list[Item]:
    tasks = {int(named[1]) for one in entries if (named := TASK.match(one.subject))}
    return list(Item.objects.filter(pk__in=Task.objects.filter(pk__in=tasks).values("item")).only("key").order_by("pk"))


def _finished(study: Study, entries: Sequence[AuditEntry]) -> list[StudyEvent]:
    """Items that got their last answer, and the study if no item waits for one.

    An item that waits for answers again, because an answer was withdrawn or more are wanted, can finish again.
    """
    found, at = [], entries[-1].at
    items = _items(entries)
    known = set(FinishedWork.objects.filter(item__in=items).values_list("item", flat=True))
    waiting = set(_wanted_answers(study).filter(item__in=items).values_list("item", flat=True))
    FinishedWork.objects.filter(item__in=known & waiting).delete()
    done = [item for item in items if item.pk not in known | waiting]
    FinishedWork.objects.bulk_create(FinishedWork(study=study, item=item) for item in done)
    if done:
        keys = [item.key for item in done]
        found.append(
            StudyEvent(EventKind.ITEMS_FINISHED, at, {"study": study.slug, "count": len(done), **_listed(keys)})
        )
    told = FinishedWork.objects.filter(study=study, item=None)
    if _wanted_answers(study).exists() or not is_planned(study):
        told.delete()
    elif not told.exists():
        FinishedWork.objects.create(study=study)
        found.append(StudyEvent(EventKind.STUDY_FINISHED, at, {"study": study.slug}))
    return found


def _wanted_answers(study: Study) -> Any:
    """The places for raters that have no answer yet; those of withdrawn items do not count."""
    waiting = [Slot.State.OPEN, Slot.State.HELD]
    return Slot.objects.filter(study=study, state__in=waiting, item__withdrawn_at=None)
