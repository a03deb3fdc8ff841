"""Hand-written statements about a rater's slots: those they hold, renew, fill, and take. See `hot_queries`."""

from collections.abc import Sequence
from datetime import datetime

from annotation.models import Rater, Slot
from annotation.studies.batches import FIRST
from config.prepared_sql import Columns, fetch_all, fetch_one, run, run_later, stored

SLOT = Columns(Slot, "h")
_TAKEN = "SELECT COUNT(*) FROM annotation_slot w WHERE w.holder_id = %s AND w.study_id IS NOT NULL"
_HELD = f"""SELECT {SLOT.sql} FROM annotation_slot h
    WHERE h.holder_id = %s AND h.state = 'held' AND h.place >= {FIRST}"""  # noqa: S608
_RENEW = """UPDATE annotation_slot SET lease_until = %s
    WHERE holder_id = %s AND item_id = %s AND state = 'held' RETURNING id"""
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
    marks = ", ".join(["%s"] * len(slots))
    sql = f"UPDATE annotation_slot SET state = 'held', holder_id = %s, lease_until = %s WHERE state = 'open' AND id IN ({marks})"  # noqa: S608, E501
    taken: int = run(sql, [rater, stored(Slot, "lease_until", until), *(slot.pk for slot in slots)]).rowcount
    return taken


def move_place(rater: Rater, place: int | None, *, counted: bool) -> None:
    """Remember how far along the study's order a rater has come and, if `counted`, that they got work once more."""
    if counted:
        run_later("UPDATE annotation_rater SET place = %s, given = given + 1 WHERE id = %s", [place, rater.pk])
        rater.place, rater.given = place, rater.given + 1
    elif rater.place != place:
        run_later("UPDATE annotation_rater SET place = %s WHERE id = %s", [place, rater.pk])
        rater.place = place
