"""A process like one on another host whose clock is minutes ahead or behind, told by a test what to do.

No program shifts a clock for one process on every machine, so the process shifts what Python reads of it: `time.time`
and the `datetime` that Django's `timezone.now` asks. A host's uptime does not follow its clock, and is not shifted.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from unittest import mock

from django.db import transaction
from django.utils import timezone

from annotation.desk.assigning import BusyError, next_assignment, release_expired
from annotation.desk.drafting import pulse
from annotation.desk.submitting import Effort, Submission, submit
from annotation.models import Rater, Study
from config.background.claiming import claim
from config.background.kinds import works
from config.background.sweeping import sweep
from config.background.workers import worker_status
from config.database_clock import database_now
from tests.processes import child, said, tell

ANSWER = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": [""]}
CODE = "from tests.other_host import serve; serve(float(sys.argv[1]))"
Do = Callable[..., Any]


def shift_clock(minutes: float) -> None:
    """Set this process' clock ahead; behind for negative minutes."""
    there, real = timedelta(minutes=minutes), time.time

    class ShiftedTime(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime.now(tz) + there

    mock.patch("django.utils.timezone.datetime", ShiftedTime).start()
    mock.patch("time.time", side_effect=lambda: real() + there.total_seconds()).start()


def _claim(rater: int) -> str | None:
    """The key of the rater's next task; None if nothing is open for them."""
    found = Rater.objects.select_related("study").get(pk=rater)
    task = next_assignment(found.study, found)
    return None if task is None else str(task.key)


def _beat(rater: int) -> bool:
    """Send a heartbeat of the page that the rater has open; whether the task is still theirs."""
    found = Rater.objects.select_related("study").get(pk=rater)
    return pulse(found.assignments.select_related("rater__study", "task").latest("pk"), Effort()) is not None


def released_now(study: Study) -> int:
    """Open the places whose leases are over by now; how many."""
    with transaction.atomic():
        return release_expired(study, database_now())


def _work(rater: int) -> int:
    """Claim and answer until nothing is left; how many answers there were."""
    found, done, missed = Rater.objects.select_related("study").get(pk=rater), 0, 0
    while missed < 5:
        try:
            task = next_assignment(found.study, found)
        except BusyError:
            continue
        if task is None:
            missed += 1
            continue
        submit(task, Submission(ANSWER, revision=0, guidelines_version=1))
        done += 1
    return done


DOINGS: dict[str, Do] = {
    "claim": _claim,
    "beat": _beat,
    "work": _work,
    "release": lambda study: released_now(Study.objects.get(pk=study)),
    "take": lambda kind, pk: claim(works()[kind], pk) is not None,
    "sweep": lambda: sweep()[0],
    "workers": lambda: worker_status().code,
    "hosts_clock": lambda: timezone.now().timestamp(),
    "database_clock": lambda: database_now().timestamp(),
}


def serve(minutes: float) -> None:
    """Do what each line asks for, and print what came of it, as JSON."""
    shift_clock(minutes)
    for line in sys.stdin:
        name, *given = json.loads(line)
        print(json.dumps(DOINGS[name](*given)), flush=True)


class OtherHost:
    """The test's side of such a process."""

    def __init__(self, process: Any) -> None:
        self.process = process

    def begin(self, name: str, *given: Any) -> None:
        tell(self.process, json.dumps([name, *given]))

    def result(self) -> Any:
        return json.loads(said(self.process))

    def do(self, name: str, *given: Any) -> Any:
        self.begin(name, *given)
        return self.result()


@contextmanager
def other_host(minutes: float) -> Iterator[OtherHost]:
    """Yield a host on the test's database whose clock is so many minutes ahead."""
    with child(CODE, minutes) as process:
        yield OtherHost(process)
