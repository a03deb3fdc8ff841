"""Threads: a rater's own, the inbox of a study's researchers, counts of what is unread, and what one thread shows.

A thread shows messages, and the notes of spot checks of its task, which stay where they are kept.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Left

from accounts.models import Person
from annotation.access import ANNOTATORS, studies_of
from annotation.desk.my_answers import EXCERPT, page_of
from annotation.models import Assignment, Rater, SpotCheck, Study, Task
from parts.rater_messages.models import MessageThread, RaterMessage

PAGE_SIZE = 25
SHOWN = {"": "Waiting for a reply", "unread": "Unread", "all": "All"}
"""The filters of the inbox."""
MOST_SHOWN = 500
"""Messages of a thread that a page shows: the newest."""


@dataclass(frozen=True)
class ThreadLine:
    """A thread in a rater's list, named as their list of answers names the task."""

    key: Any
    title: str
    messages: int
    unread: int
    last: datetime | None


def own_threads(rater: Rater, number: str | None) -> tuple[Page[Any], list[ThreadLine]]:
    """A page of the tasks about which there are messages or notes, those with the newest work first."""
    notes = SpotCheck.objects.filter(annotation__task=OuterRef("task"), annotation__rater=rater).exclude(note="")
    threads = MessageThread.objects.filter(rater=rater, task=OuterRef("task"))
    mine = Assignment.objects.filter(Exists(notes) | Exists(threads), rater=rater)
    unread = RaterMessage.objects.filter(
        thread__rater=rater, thread__task=OuterRef("task"), from_rater=False, seen_at=None
    )
    mine = mine.annotate(has_unread=Q(Exists(unread)) | Q(Exists(notes.filter(seen_at=None))))
    page, rows = page_of(rater, mine.order_by("-has_unread", "-pk"), number, None)
    tasks = [row.assignment.task_id for row in rows]
    written = _counts(rater, tasks)
    lines = []
    for row in rows:
        messages, new, last = written.get(row.assignment.task_id, (0, 0, None))
        lines.append(ThreadLine(row.assignment.key, row.title, messages, new, last))
    return page, lines


def _counts(rater: Rater, tasks: list[int]) -> dict[int, tuple[int, int, datetime | None]]:
    """Of each task: how much was written about it, how much of that is unread, and when the last was."""
    found: dict[int, tuple[int, int, datetime | None]] = {}
    messages = RaterMessage.objects.filter(thread__rater=rater, thread__task__in=tasks)
    notes = SpotCheck.objects.filter(annotation__rater=rater, annotation__task__in=tasks).exclude(note="")
    totals = {"count": Count("pk"), "last": Max("at")}
    unread, unread_notes = Count("pk", filter=Q(from_rater=False, seen_at=None)), Count("pk", filter=Q(seen_at=None))
    rows = [
        *messages.order_by().values_list("thread__task").annotate(**totals, new=unread),
        *notes.order_by().values_list("annotation__task").annotate(**totals, new=unread_notes),
    ]
    for task, count, last, new in rows:
        before = found.get(task, (0, 0, last))
        found[task] = (before[0] + count, before[1] + new, max(before[2] or last, last))
    return found


def task_title(rater: Rater, assignment: Assignment) -> str:
    """The name of a task as the rater's list of answers has it."""
    _, rows = page_of(rater, Assignment.objects.filter(pk=assignment.pk).order_by("pk"), None, None)
    return rows[0].title if rows else ""


def unread_by_study(person: Person) -> dict[int, int]:
    """How many messages of researchers the person has not opened, by study; notes are counted on their own."""
    new = RaterMessage.objects.filter(
        thread__rater__person=person, thread__rater__study__in=studies_of(person, ANNOTATORS), from_rater=False,
        seen_at=None,
    )  # fmt: skip
    return dict(new.order_by().values_list("thread__rater__study").annotate(Count("pk")))


def inbox(study: Study, shown: str, rater: str, item: str) -> QuerySet[MessageThread]:
    """The threads of a study with messages: those that wait for a reply, longest first, or others by the filters."""
    found = MessageThread.objects.filter(rater__study=study).select_related("rater", "task__item")
    new = Count("messages", filter=Q(messages__from_rater=True, messages__seen_at=None))
    found = found.annotate(written=Count("messages"), unread=new, last=Max("messages__at"))
    if shown == "":
        found = found.filter(waiting_since__isnull=False)
    elif shown == "unread":
        found = found.filter(unread__gt=0)
    if rater:
        found = found.filter(rater__name=rater)
    if item:
        found = found.filter(task__item__key=item)
    return found.order_by("waiting_since", "pk") if shown == "" else found.order_by("-last", "-pk")


def inbox_page(threads: QuerySet[MessageThread], number: str | None) -> Page[Any]:
    """A page of the inbox, with the beginning of each thread's last message of the rater; two queries and a count."""
    page: Page[Any] = Paginator(threads, PAGE_SIZE).get_page(number)
    rows = list(page)
    newest = RaterMessage.objects.filter(thread__in=rows, from_rater=True).order_by().values("thread")
    last = [row["last"] for row in newest.annotate(last=Max("pk"))]
    texts = RaterMessage.objects.filter(pk__in=last).annotate(beginning=Left("text", EXCERPT))
    by_thread = {one.thread_id: one.beginning for one in texts}
    for row in rows:
        row.beginning = by_thread.get(row.pk, "")
    page.object_list = rows
    return page


def waiting_threads(study: Study | OuterRef) -> QuerySet[MessageThread]:
    """The threads that wait for a reply."""
    return MessageThread.objects.filter(rater__study=study, waiting_since__isnull=False)


@dataclass(frozen=True)
class ThreadEntry:
    """A message, or a note on an answer (`verdict` and `note`, the key of its spot check)."""

    text: str
    at: datetime
    from_rater: bool
    seen_at: datetime | None
    verdict: str = ""
    note: int | None = None

    @property
    def is_unread_note(self) -> bool:
        return self.note is not None and self.seen_at is None


def entries_of(rater: Rater, task: Task | None, thread: MessageThread | None) -> list[ThreadEntry]:
    """All that was written in a thread, oldest first; in two queries."""
    written = RaterMessage.objects.filter(thread=thread).order_by("-pk")[:MOST_SHOWN] if thread else ()
    found = [ThreadEntry(one.text, one.at, one.from_rater, one.seen_at) for one in written]
    if task is not None:
        notes = SpotCheck.objects.filter(annotation__task=task, annotation__rater=rater).exclude(note="")
        found += [ThreadEntry(one.note, one.at, False, one.seen_at, one.verdict, one.pk) for one in notes]
    return sorted(found, key=lambda entry: entry.at)
