"""Hand-written statements about a rater's slots: those they hold, renew, fill, and take. See `hot_queries`."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from annotation.models import Rater, Slot
from annotation.studies.batches import FIRST
from config.prepared_sql import Columns, fetch_all, fetch_one, here, run, run_later, stored

SLOT = Columns(Slot, "h")
_TAKEN = "SELECT COUNT(*) FROM annotation_slot w WHERE w.holder_id = %s AND w.study_id IS NOT NULL"
_HELD = f"""SELECT {SLOT.sql} FROM annotation_slot h
    WHERE h.holder_id = %s AND h.state = 'held' AND h.place >= {FIRST}"""  # noqa: S608
_RENEW = """UPDATE annotation_slot SET lease_until = %s
    WHERE holder_id = %s AND item_id = %s AND state = 'held' RETURNING id"""
_MOVE = {
    False: "UPDATE annotation_rater SET place = %s WHERE id = %s",
    True: "UPDATE annotation_rater SET place = %s, given = given + 1 WHERE id = %s",
}
_FILL = "UPDATE annotation_slot SET state = 'filled', lease_until = NULL WHERE id = %s AND holder_id = %s"


def taken_slots(rater: int) -> int:
    """How many slots of the study a rater holds or has filled."""
    taken: int = fetch_one(_TAKEN, [rater])[0]
    return taken


def held_slots(rater: int) -> list[Slot]:
    """The slots that a rater holds and has not filled, except those of withdrawn items."""
    return [SLOT.must_take(iter(row)) for row in fetch_all(_HELD, [rater])]


def renew_held(rater: int, item: int, until: datetime) -> set[int]:
    """Extend the leases of the slots that a rater holds on an item; returns their primary keys."""
    return {pk for (pk,) in fetch_all(_RENEW, [stored(Slot, "lease_until", until), rater, item])}


def fill_slot(slot: int, rater: int) -> bool:
    """Fill a slot that the rater has; False if it was opened to others."""
    return bool(run(_FILL, [slot, rater]).rowcount == 1)


def take_slots(slots: Sequence[Slot], rater: int, until: datetime) -> int:
    """Take these open slots for a rater; returns how many nobody was faster to take."""
    taken: int = run(_take_sql(len(slots)), [rater, *_taken_as(slots, until)]).rowcount
    return taken


def take_next_slots(slots: Sequence[Slot], rater: Rater, until: datetime, *, counted: bool) -> int:
    """As `take_slots`; a rater who got any of them is now at the place of the first, as `move_place` remembers.

    PostgreSQL does both in one statement, which SQLite cannot.
    """
    place = slots[0].place
    if here().vendor == "sqlite" or (rater.place == place and not counted):
        taken = take_slots(slots, rater.pk, until)
        if taken:
            move_place(rater, place, counted=counted)
        return taken
    sql = f"""WITH taken AS ({_take_sql(len(slots))} RETURNING id),
        moved AS ({_MOVE[counted]} AND EXISTS (SELECT 1 FROM taken)) SELECT COUNT(*) FROM taken"""  # noqa: S608
    taken = fetch_one(sql, [rater.pk, *_taken_as(slots, until), place, rater.pk])[0]
    if taken:
        rater.place, rater.given = place, rater.given + counted
    return taken


def _take_sql(slots: int) -> str:
    marks = ", ".join(["%s"] * slots)
    return f"UPDATE annotation_slot SET state = 'held', holder_id = %s, lease_until = %s WHERE state = 'open' AND id IN ({marks})"  # noqa: S608, E501


def _taken_as(slots: Sequence[Slot], until: datetime) -> list[Any]:
    return [stored(Slot, "lease_until", until), *(slot.pk for slot in slots)]


def move_place(rater: Rater, place: int | None, *, counted: bool) -> None:
    """Remember how far along the study's order a rater has come and, if `counted`, that they got work once more."""
    if counted or rater.place != place:
        run_later(_MOVE[counted], [place, rater.pk])
        rater.place, rater.given = place, rater.given + counted
