"""Tasks and slots of earlier settings of a draft: they are removed, in steps, before tasks are made again."""

import time

from django.db import transaction
from django.db.models import Max

from annotation.models import Item, Slot, Study, Task, TaskOutput
from annotation.studies.locking import lock_study
from config.write_pauses import WritePauses

AT_ONCE = 500
"""Items whose tasks are removed in one transaction."""


def unplan(study: Study) -> None:
    """Say that all tasks made so far are outdated. `study` is a draft without answers, locked by the caller.

    The caller saves it. Few writes, whatever the size of the study: `remove_outdated` does the work.
    """
    if study.planned_through or Slot.objects.filter(study=study).exists():
        study.outdated_through = Item.objects.filter(study=study).aggregate(last=Max("pk"))["last"] or 0
        study.planned_through = 0


def remove_outdated(study: Study, seconds: float | None = None) -> bool:
    """Remove outdated tasks for about `seconds` at most. Return whether none is left.

    Each step is a transaction of its own, so that the next call continues and others can write in between.
    """
    end, pauses = None if seconds is None else time.monotonic() + seconds, WritePauses()
    while _remove_some(study):
        if end is not None and time.monotonic() > end:
            return False
        pauses.take()
    study.refresh_from_db(fields=["planned_through", "outdated_through"])
    return True


def _remove_some(study: Study) -> bool:
    """Remove the tasks of the last items that may have outdated ones. Return whether there may be more."""
    if not Study.objects.filter(pk=study.pk, outdated_through__gt=0).exists():
        return False
    with transaction.atomic():
        now = lock_study(study.pk)
        items = Item.objects.filter(study=now, pk__lte=now.outdated_through).order_by("-pk")
        some = list(items.values_list("pk", flat=True)[:AT_ONCE])
        tasks = Task.objects.filter(item__in=some)
        Slot.objects.filter(task__in=tasks)._raw_delete("default")
        TaskOutput.objects.filter(task__in=tasks)._raw_delete("default")
        tasks._raw_delete("default")
        Item.objects.filter(pk__in=some, places__isnull=False).update(places=None)
        now.outdated_through = some[-1] - 1 if len(some) == AT_ONCE else 0
        now.save(update_fields=["outdated_through"])
    return now.outdated_through > 0
