"""The rules of a session: which step is due, which answer is the current one, and whether the session may end.

KIWI, section 2.2 and figure 3. `docs/protocols.md` says what we decided where the paper leaves things open.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

RATING, COMMENT = "rating", "comment"
"""Keys of the two questions that every session study asks about a turn."""
RATINGS = GOOD, NEUTRAL, BAD = "good", "neutral", "bad"
EDITABLE = (NEUTRAL, BAD)
"""Ratings of answers that their user may edit."""
FIRST, INFORMATION, STYLE = "first", "information", "style"
KINDS = (INFORMATION, STYLE)
"""The kinds of instruction."""
WAITING, DONE = ("queued", "running"), "done"
ACTIVE, SATISFIED, MAX_TURNS, ABANDONED = "active", "satisfied", "max_turns", "abandoned"


class Due(StrEnum):
    """The step that is due: the model's answer or a step of the person."""

    WAIT = "wait"
    RETRY = "retry"
    RATE = "rate"
    INSTRUCT = "instruct"
    END = "end"
    OVER = "over"


@dataclass(frozen=True)
class TurnFacts:
    """The facts of a turn that the rules use, unless it was discarded; `rating` and `edited` are the session user's."""

    number: int
    status: str
    answer: str | None = None
    rating: str | None = None
    edited: str | None = None


@dataclass(frozen=True)
class SessionState:
    """What may happen next in a session.

    `number` is the turn that `due` is about; for an instruction it is the next turn. `current` is the answer that
    the next instruction revises, from turn `current_of`. `editable` is the turn whose answer may be edited, and
    `ratable` the turn whose rating may be given or changed.
    """

    due: Due
    number: int
    current: str | None
    current_of: int | None
    rated: int
    may_end: bool
    editable: int | None = None
    ratable: int | None = None


def current_answer(turns: Sequence[TurnFacts]) -> tuple[str | None, int | None]:
    """Return the current answer and its turn: the last rated turn that is not bad or was edited, else turn 0."""
    current: tuple[str | None, int | None] = (None, None)
    for turn in turns:
        if turn.number == 0 and turn.status == DONE:
            current = (turn.answer, 0)
        elif turn.rating is not None and (turn.rating != BAD or turn.edited is not None):
            current = (turn.answer if turn.edited is None else turn.edited, turn.number)
    return current


def state_of(status: str, turns: Sequence[TurnFacts], max_turns: int) -> SessionState:
    """Return the state of a session with this status and these turns, in order."""
    last = turns[-1]
    current, current_of = current_answer(turns)
    rated = sum(turn.rating is not None for turn in turns)
    due, number = _due(status, last, max_turns)
    finished = last.status == DONE and last.number > 0
    is_open = status in (ACTIVE, MAX_TURNS)
    return SessionState(
        due=due,
        number=number,
        current=current,
        current_of=current_of,
        rated=rated,
        may_end=is_open and rated > 0 and due in (Due.INSTRUCT, Due.RETRY, Due.END),
        editable=last.number if is_open and finished and last.rating in EDITABLE else None,
        ratable=last.number if status != SATISFIED and finished else None,
    )


def _due(status: str, last: TurnFacts, max_turns: int) -> tuple[Due, int]:
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
