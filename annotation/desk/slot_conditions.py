"""Which open slots a rater may take, as parts of hand-written statements that call the slot `o`. See `hot_queries`."""

from typing import Any

from annotation.models import Rater, Study
from annotation.studies.assignment_plan import kept_for

NOT_DECIDED = """AND o.item_id NOT IN (SELECT f.item_id FROM annotation_adjudication f
        JOIN annotation_reviewer v ON v.id = f.by_id WHERE v.study_id = %s AND v.name = %s)"""
"""Not of items to which the rater gave final answers, having read those of others; parameters: study, name."""
KEPT: dict[bool | None, str] = {
    None: NOT_DECIDED,
    False: f"{NOT_DECIDED} AND o.kept_for = %s",
    True: f"{NOT_DECIDED} AND o.kept_for = %s AND o.kept_for <> ''",
}
"""Which slots a rater may take, by the items that they decided and by a plan: whether they have a list.

None if there are no lists.
"""


def kept_slots(study: Study, rater: Rater) -> tuple[bool | None, list[Any]]:
    """The key of KEPT for a rater, and its parameters."""
    kept = kept_for(study, rater.name)
    decided = [study.pk, rater.name]
    return (None, decided) if kept is None else (bool(kept), [*decided, kept])
