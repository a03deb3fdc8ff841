"""Studies take turns in each queue, so that one study that asks for much keeps no other waiting.

A message only wakes a worker. The worker takes the study whose last turn was longest ago and does its first due row, of
whatever kind in the queue. That need not be the row that the message names, which a later message will reach. Work
whose result people wait for still comes before patient work, because the broker hands out its messages first.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Min

from config.background.claiming import claimable, process_row
from config.background.kinds import Work, works
from config.database_clock import database_now
from config.models import QueueTurn

NO_STUDY = 0
"""Stands for the study of rows that belong to none: together they take turns as one."""
TRIES = 3
"""How many rows are tried; others may be claiming the same ones."""
NEVER = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Head:
    """The first row of a study that is due."""

    key: str
    pk: int
    study: int
    due_at: datetime


def process_in_turn(key: str, pk: int) -> bool:
    """Process the row whose study's turn it is; return False if there was nothing to do.

    The row of the message is done if its kind takes no turns, or if no row of its queue could be claimed.
    """
    work = works()[key]
    heads = heads_in_turn(work) if work.study else []
    for head in heads[:TRIES]:
        if len(heads) > 1:
            _note_turn(_line(work), head.study)
        if process_row(head.key, head.pk):
            return True
    return process_row(key, pk)


def heads_in_turn(like: Work) -> list[Head]:
    """The first due row of each study, the study whose turn was longest ago first.

    Only kinds of work that share the queue of `like` and are as patient count.
    """
    now, firsts = database_now(), dict[int, Head]()
    for work in works().values():
        if (work.queue, work.patient) == (like.queue, like.patient) and work.study:
            for head in _heads(work, now):
                known = firsts.get(head.study)
                if known is None or head.due_at < known.due_at:
                    firsts[head.study] = head
    if len(firsts) < 2:
        return [*firsts.values()]
    turns = QueueTurn.objects.filter(queue=_line(like), study__in=firsts).values_list("study", "at")
    last = dict(turns)
    return sorted(firsts.values(), key=lambda head: (last.get(head.study, NEVER), head.due_at, head.pk))


def _heads(work: Work, now: datetime) -> list[Head]:
    """The first due row of each study among those of one kind."""
    if work.heads is not None:
        found = work.heads(now)
    else:
        rows = work.model._default_manager
        due = rows.filter(pk__in=rows.filter(claimable(now)).order_by().values("pk")).order_by()
        found = list(due.values_list(work.study).annotate(first=Min("pk"), due=Min("due_at")))
    return [Head(work.key, pk, study or NO_STUDY, due_at) for study, pk, due_at in found]


def _line(work: Work) -> str:
    """The name under which turns are noted: patient work takes turns of its own in each queue."""
    return f"{work.queue} last" if work.patient else work.queue


def _note_turn(queue: str, study: int) -> None:
    QueueTurn.objects.bulk_create(
        [QueueTurn(queue=queue, study=study, at=database_now())],
        update_conflicts=True,
        unique_fields=["queue", "study"],
        update_fields=["at"],
    )
