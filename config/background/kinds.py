"""Kinds of background work. Each is a module in an app's `background/` folder that binds `WORK`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from config.background.rows import Row
from config.registry import discover

if TYPE_CHECKING:
    from config.background.claiming import Claim

Queue = Literal["calls", "jobs"]
QUEUES: tuple[Queue, ...] = ("calls", "jobs")


class ClaimLostError(Exception):
    """The lease ended and another worker has the row, or the row is finished. Nothing more may be written."""


class StopAskedError(Exception):
    """Somebody asked the work to stop."""


class GiveUpError(Exception):
    """There will be no result. `reason` is a sentence for people; `fields` are stored with it."""

    def __init__(self, reason: str, **fields: Any) -> None:
        super().__init__(reason)
        self.reason, self.fields = reason, fields


class TryLaterError(Exception):
    """Not now: the row is queued again, due in `seconds`. With `counts` this uses up an attempt."""

    def __init__(self, reason: str, seconds: float, *, counts: bool = True, **fields: Any) -> None:
        super().__init__(reason)
        self.reason, self.seconds, self.counts, self.fields = reason, seconds, counts, fields


@dataclass(frozen=True)
class QueueState:
    """The rows of a kind in a study: since when the oldest one waits, and when and why the last one failed."""

    waiting: int
    running: int
    failed: int
    oldest: datetime | None
    last_failed: datetime | None
    reason: str


@dataclass(frozen=True)
class Work:
    """A kind of background work.

    `run(claim)` does the work outside any transaction and writes through the claim. It must be safe to run twice,
    because a worker may be killed at any moment. `lease` must be longer than `run` ever takes between two heartbeats
    (`Claim.renew` and `Claim.update`; `Claim.kept_alive` sends them automatically). The queue `calls` is for waiting
    (threads, time bounded by the client), `jobs` for computing (processes with time limits). `ended(row)` is called
    in the transaction in which a row fails or is stopped. Messages about `patient` work, whose result nobody waits
    for at a page, are read after those about other work. `queue_state(study)` counts the rows of a study, if there may
    be too many for a page.

    Studies take turns (`config.background.study_turns`): `study` is the path of foreign keys from a row to its study,
    empty for work that takes no turns. `heads(now)` returns study, key and time of the first due row of each study, if
    there may be so many rows that grouping them would take long.
    """

    key: str
    model: type[Row]
    run: "Callable[[Claim], None]"
    queue: Queue
    lease: timedelta
    attempts: int = 3
    ended: Callable[[Any], None] | None = None
    patient: bool = False
    queue_state: Callable[[Any], QueueState] | None = None
    study: str = "study"
    heads: Callable[[datetime], list[tuple[int | None, int, datetime]]] | None = None


def works() -> Mapping[str, Work]:
    """Return all kinds of background work, by key."""
    return discover("background", "WORK")


@dataclass(frozen=True)
class Sweep:
    """Periodic upkeep that an app registers as `SWEEP` in a module of its `background/` folder; every worker runs it.

    `run` is short and safe to run in several workers at once. It is called about every `every` seconds.
    """

    key: str
    run: Callable[[], object]
    every: int = 30


def sweeps() -> Mapping[str, Sweep]:
    """Return all periodic upkeep, by key."""
    return discover("background", "SWEEP")
