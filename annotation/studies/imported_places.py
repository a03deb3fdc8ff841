"""Places that work from files fills, so that what was done elsewhere is not given out again.

Such work takes an open place of its task: one kept for its rater, or else one for anybody, first of all one with the
order of outputs that the rater saw. Third raters take the places of third raters, and others do not. If an item's
tasks stay with the same raters, a rater gets the places of one number on all of them, as from a claim.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence

from annotation.models import Annotation, Assignment, Item, Rater, Slot, Study, Task
from annotation.protocols import protocols
from annotation.task_flow import DoneElsewhere


def answered_elsewhere(tasks: Collection[int]) -> list[DoneElsewhere]:
    """People's submitted answers to these tasks that came from files and are not surplus, in the order of import."""
    answers = Annotation.objects.filter(
        task__in=tasks, is_current=True, status=Annotation.Status.SUBMITTED, surplus=False,
        rater__kind=Rater.Kind.HUMAN,
    )  # fmt: skip
    here = set(Assignment.objects.filter(task__in=tasks).values_list("task", "rater"))
    rows = answers.order_by("pk").values_list("task", "task__item", "rater", "rater__name", "shown", "third_rater")
    return [DoneElsewhere(*row) for row in rows if (row[0], row[2]) not in here]


def fill_places(study: Study, tasks: Collection[int]) -> int:
    """Fill open places of these tasks with work from files that has none yet; return how many.

    The caller has locked the study. Items are locked in order, as claims lock them.
    """
    protocol = protocols()[study.protocol]
    shared = [
        pk
        for pk, variant in Task.objects.filter(pk__in=tasks).values_list("pk", "variant")
        if protocol.flow.needs_slots(variant)
    ]
    taken = set(Slot.objects.filter(task__in=shared, holder__isnull=False).values_list("task", "holder"))
    found = protocol.flow.done_elsewhere(shared)
    done = [
        one for one in (answered_elsewhere(shared) if found is None else found) if (one.task, one.rater) not in taken
    ]
    if not done:
        return 0
    items = Item.objects.filter(pk__in={one.item for one in done})
    list(items.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    places = _Places(shared, protocol.keeps_raters(study.options))
    filled = 0
    for one in done:
        slot = places.take(one)
        if slot is not None:
            filled += Slot.objects.filter(pk=slot.pk, state=Slot.State.OPEN).update(
                state=Slot.State.FILLED, holder=one.rater, order=one.shown
            )
    return filled


class _Places:
    """The open places of some tasks, by task; with `together`, raters have one number on all tasks of an item."""

    def __init__(self, tasks: Sequence[int], together: bool) -> None:
        self.together = together
        self.free: dict[int, list[Slot]] = defaultdict(list)
        self.numbers: dict[tuple[int, int], int] = {}
        self.used: dict[int, set[int]] = defaultdict(set)
        for slot in Slot.objects.filter(task__in=tasks).order_by("number", "pk"):
            if slot.state == Slot.State.OPEN:
                self.free[slot.task_id].append(slot)
            elif slot.holder_id is not None:
                self.numbers.setdefault((slot.item_id, slot.holder_id), slot.number)
                self.used[slot.item_id].add(slot.number)

    def take(self, done: DoneElsewhere) -> Slot | None:
        """The place that this work takes, which is free no longer; None if there is none for it."""
        fitting = [
            slot
            for slot in self.free[done.task]
            if slot.kept_for in ("", done.name) and slot.third_rater == done.third_rater
        ]
        if self.together:
            number = self.numbers.get((done.item, done.rater))
            used = self.used[done.item]
            fitting = [
                slot for slot in fitting if (slot.number not in used if number is None else slot.number == number)
            ]
        if not fitting:
            return None
        best = min(fitting, key=lambda slot: (slot.kept_for == "", slot.order != done.shown, slot.number))
        self.free[done.task].remove(best)
        self.numbers.setdefault((done.item, done.rater), best.number)
        self.used[done.item].add(best.number)
        return best
