"""The rules of a session: what is due now, which answer is the current one, and whether it may end. Nothing else.

KIWI, section 2.2 and figure 3; where it leaves something open, see `docs/protocols.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

GOOD, NEUTRAL, BAD = "good", "neutral", "bad"
EDITABLE = (NEUTRAL, BAD)
FIRST, INFORMATION, STYLE = "first", "information", "style"
KINDS = (INFORMATION, STYLE)
"""What an instruction can ask for."""
WAITING, DONE = ("queued", "running"), "done"
ACTIVE, SATISFIED, MAX_TURNS, ABANDONED = "active", "satisfied", "max_turns", "abandoned"


class Due(StrEnum):
    """What is expected now: an answer of the model, or something of the person."""

    WAIT = "wait"
    RETRY = "retry"
    RATE = "rate"
    INSTRUCT = "instruct"
    END = "end"
    OVER = "over"


@dataclass(frozen=True)
class Step:
    """A turn that was not discarded, as the rules see it; `rating` and `edited` are the session user's own."""

    number: int
    status: str
    answer: str | None = None
    rating: str | None = None
    edited: str | None = None


@dataclass(frozen=True)
class State:
    """Where a session stands.

    `number` is the turn that `due` is about, of an instruction that is due the next one. `current` is the answer
    that the next instruction is about, of turn `current_of`. `editable` is the turn whose answer may be edited,
    `ratable` the one whose rating may be given or changed.
    """

    due: Due
    number: int
    current: str | None
    current_of: int | None
    rated: int
    may_end: bool
    editable: int | None = None
    ratable: int | None = None


def current_answer(steps: Sequence[Step]) -> tuple[str | None, int | None]:
    """The current answer and its turn: an edit counts for the answer, and a bad one that is not edited for nothing."""
    current: tuple[str | None, int | None] = (None, None)
    for step in steps:
        if step.number == 0 and step.status == DONE:
            current = (step.answer, 0)
        elif step.rating is not None and (step.rating != BAD or step.edited is not None):
            current = (step.answer if step.edited is None else step.edited, step.number)
    return current


def state_of(status: str, steps: Sequence[Step], max_turns: int) -> State:
    """Where a session of this status with these turns, in order, stands."""
    last = steps[-1]
    current, current_of = current_answer(steps)
    rated = sum(step.rating is not None for step in steps)
    due, number = _due(status, last, max_turns)
    finished = last.status == DONE and last.number > 0
    is_open = status in (ACTIVE, MAX_TURNS)
    return State(
        due=due,
        number=number,
        current=current,
        current_of=current_of,
        rated=rated,
        may_end=is_open and rated > 0 and due in (Due.INSTRUCT, Due.RETRY, Due.END),
        editable=last.number if is_open and finished and last.rating in EDITABLE else None,
        ratable=last.number if status != SATISFIED and finished else None,
    )


def _due(status: str, last: Step, max_turns: int) -> tuple[Due, int]:
    if status in (SATISFIED, ABANDONED):
        return Due.OVER, last.number
    if status == MAX_TURNS:
        return Due.END, last.number
    if last.status in WAITING:
        return Due.WAIT, last.number
    if last.status != DONE:
        return Due.RETRY, last.number
    if last.number > 0 and last.rating is None:
        return Due.RATE, last.number
    if last.number >= max_turns:
        return Due.END, last.number
    return Due.INSTRUCT, last.number + 1
