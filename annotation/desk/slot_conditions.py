"""Which open slots a rater may take, as parts of hand-written statements that call the slot `o`. See `hot_queries`."""

from typing import Any

from annotation.models import Rater, Study
from annotation.studies.assignment_plan import kept_for

NOT_SEEN = """AND o.item_id NOT IN (SELECT e.item_id FROM annotation_seenitem e WHERE e.rater_id = %s)
    AND o.item_id NOT IN (SELECT f.item_id FROM annotation_adjudication f
        JOIN annotation_reviewer v ON v.id = f.by_id WHERE v.study_id = %s AND v.name = %s)"""
"""Not of items of which the rater has read others' answers: they were shown them, or final answers in a file have the
rater's name. Parameters: rater, study, name."""
KEPT: dict[bool | None, str] = {
    None: NOT_SEEN,
    False: f"{NOT_SEEN} AND o.kept_for = %s",
    True: f"{NOT_SEEN} AND o.kept_for = %s AND o.kept_for <> ''",
}
"""Which slots a rater may take, by the items that they have seen and by a plan: whether they have a list.

None if there are no lists.
"""


def kept_slots(study: Study, rater: Rater) -> tuple[bool | None, list[Any]]:
    """The key of KEPT for a rater, and its parameters."""
    kept = kept_for(study, rater.name)
    return (None, seen_items(study, rater)) if kept is None else (bool(kept), [*seen_items(study, rater), kept])


def seen_items(study: Study, rater: Rater) -> list[Any]:
    """The parameters of NOT_SEEN."""
    return [rater.pk, study.pk, rater.name]
