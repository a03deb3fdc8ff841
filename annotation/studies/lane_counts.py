"""Counts of a study's places by lane, for the page that shows how topics fill up."""

from typing import Any

from django.db.models import Count

from annotation.models import Slot, Study
from annotation.studies.batches import FIRST


def count_lanes(study: Study) -> dict[str, Any]:
    """Count the study's places by lane and state, as plain JSON values."""
    rows = Slot.objects.filter(study=study, place__gte=FIRST).values_list("lane", "state").order_by("lane", "state")
    return {"lanes": [[lane, state, count] for lane, state, count in rows.annotate(Count("pk"))]}
