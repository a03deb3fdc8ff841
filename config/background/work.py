"""Kinds of background work: one module each, in an app's `background/` folder, that binds `WORK`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from config.background.rows import Row
from config.registry import discover

if TYPE_CHECKING:
    from config.background.claiming import Claim

Queue = Literal["calls", "jobs"]
QUEUES: tuple[Queue, ...] = ("calls", "jobs")


class ClaimLostError(Exception):
    """The lease ended and somebody else has the row, or it is over: nothing more may be written."""


class StopAskedError(Exception):
    """Somebody asked for the work to stop."""


class GiveUpError(Exception):
    """There will be no result. `reason` is a sentence for people, `fields` are written with it."""

    def __init__(self, reason: str, **fields: Any) -> None:
        super().__init__(reason)
        self.reason, self.fields = reason, fields


class TryLaterError(Exception):
    """Not now: queued again, due in `seconds`. With `counts` it uses up one of the attempts."""

    def __init__(self, reason: str, seconds: float, *, counts: bool = True, **fields: Any) -> None:
        super().__init__(reason)
        self.reason, self.seconds, self.counts, self.fields = reason, seconds, counts, fields


@dataclass(frozen=True)
class Work:
    """A kind of background work.

    `run(claim)` does it, outside any transaction, and writes through the claim; it is safe to run twice, since a
    worker may be killed at any moment. `lease` is longer than `run` ever takes between two signs of life
    (`Claim.renew`, `Claim.update`; within `Claim.kept` they come by themselves). Queue `calls` is for waiting on
    others (threads; time is bounded by the client), `jobs` for computing (processes with time limits). `ended(row)`
    is called in the transaction that writes that a row failed or was stopped.
    """

    key: str
    model: type[Row]
    run: "Callable[[Claim], None]"
    queue: Queue
    lease: timedelta
    attempts: int = 3
    ended: Callable[[Any], None] | None = None


def works() -> Mapping[str, Work]:
    """All kinds of background work, by key."""
    return discover("background", "WORK")


@dataclass(frozen=True)
class Sweep:
    """What an app has looked after now and then, in every worker; like `WORK`, bound to `SWEEP` in its module.

    `run` is short, safe to run at the same time elsewhere, and asked for about every `every` seconds.
    """

    key: str
    run: Callable[[], object]
    every: int = 30


def sweeps() -> Mapping[str, Sweep]:
    """All that is looked after now and then, by key."""
    return discover("background", "SWEEP")
