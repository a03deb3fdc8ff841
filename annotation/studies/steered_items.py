"""Steps with which researchers steer the work on one item: withdraw it, restore it, or give it another priority.

The places of an item's slots in the study's order follow from the item alone (`annotation.studies.planning`), so each
step moves them and costs claims nothing: a withdrawn item's slots lie before the first place, which nobody reaches.
"""

from django.db import transaction
from django.db.models import QuerySet

from accounts.auditing import record
from accounts.models import Person
from annotation.desk.assigning import release_slots
from annotation.erasing import all_erasing
from annotation.models import Item, Rater, Slot, Study
from annotation.studies.corrections import StudyRefusedError, check_correction
from annotation.studies.locking import lock_rater, lock_study
from annotation.studies.planning import current_place
from config.database_clock import database_now

Priority = Item.Priority


class ItemStepRefusedError(Exception):
    """The item cannot take this step now; the message gives the reason and what to do."""


def withdraw(item: Item, reason: str, actor: Person | None) -> None:
    """Take an item out of tasks and figures; its answers stay. Held slots open, and their holders keep their drafts."""
    with transaction.atomic():
        study, item = lock_item(item)
        why = correction(study, reason)
        if item.withdrawn_at is not None:
            raise ItemStepRefusedError("This item is withdrawn already.")
        item.withdrawn_at, item.withdrawn_reason = database_now(), reason
        item.save(update_fields=["withdrawn_at", "withdrawn_reason"])
        held = _locked_slots(item).filter(state=Slot.State.HELD).select_related("holder")
        release_slots(study, list(held), f"item withdrawn: {reason}", actor)
        _move(study, item)
        for part in all_erasing():
            part.item_withdrawn(item)
        record("item withdrawn", f"item {item.key}", actor=actor, study=study.slug, new=why)


def restore(item: Item, reason: str, actor: Person | None) -> None:
    """Undo a withdrawal: the item is given out again where slots are open, and its answers count again."""
    with transaction.atomic():
        study, item = lock_item(item)
        why = correction(study, reason)
        if item.withdrawn_at is None:
            raise ItemStepRefusedError("This item is not withdrawn.")
        old = {"reason": item.withdrawn_reason}
        item.withdrawn_at, item.withdrawn_reason = None, ""
        item.save(update_fields=["withdrawn_at", "withdrawn_reason"])
        _move(study, item)
        record("item restored", f"item {item.key}", actor=actor, study=study.slug, old=old, new=why)


def set_priority(item: Item, priority: int, reason: str, actor: Person | None) -> None:
    """Give an item's tasks out before or after others of its batch."""
    with transaction.atomic():
        study = lock_study(item.study_id)
        # Every rater looks from their own place on, so those who have passed the item's new place go back to it.
        # Raters before items and slots, as claims lock them, and in one order, as two of these steps would.
        raters = Rater.objects.filter(study=study, place__isnull=False)
        list(raters.select_for_update(no_key=True).order_by("pk").values_list("pk"))
        study, item = lock_item(item)
        why = correction(study, reason)
        old, item.priority = item.priority, priority
        if priority == old:
            raise ItemStepRefusedError("The item has this priority already.")
        item.save(update_fields=["priority"])
        place = _move(study, item)
        if priority < old and place >= 0:
            raters.filter(place__gt=place).update(place=place)
        new = {"priority": Priority(priority).name.lower(), **why}
        was = {"priority": Priority(old).name.lower()}
        record("priority set", f"item {item.key}", actor=actor, study=study.slug, old=was, new=new)


def lock_item(item: Item, *, rater: Rater | None = None) -> tuple[Study, Item]:
    """The item's study and the item, both as they are now and locked: no claim on the item is under way.

    A `rater` is locked between them, as claims do. Raises ItemStepRefusedError if the rater was erased meanwhile.
    """
    study = lock_study(item.study_id)
    if rater is not None:
        try:
            lock_rater(rater.pk)
        except Rater.DoesNotExist:
            raise ItemStepRefusedError("The data of this person were erased meanwhile.") from None
    return study, Item.objects.select_for_update(no_key=True).get(pk=item.pk)


def correction(study: Study, reason: str) -> dict[str, str]:
    """As `check_correction`, for steps on items. Raises ItemStepRefusedError."""
    try:
        return check_correction(study, reason)
    except StudyRefusedError as problem:
        raise ItemStepRefusedError(str(problem)) from None


def _locked_slots(item: Item) -> QuerySet[Slot]:
    return Slot.objects.filter(item=item).select_for_update(of=("self",), no_key=True).order_by("pk")


def _move(study: Study, item: Item) -> int:
    """Move the item's slots to the place that it has now, and return the place."""
    place = current_place(study, item)
    Slot.objects.filter(item=item).exclude(place=place).update(place=place)
    return place
