"""The only writer of a study's plan once it is imported: a draft's plan is replaced, a running study's only in part."""

from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Slot, Study
from annotation.studies.assignment_plan import OPTION, read_plan
from annotation.studies.lifecycle import StudyRefusedError
from annotation.studies.locking import lock_study

CAPS = ("most", "most_of")
LATER = (
    "Only limits of raters can be changed once the study has been live, and lists can be given up. "
    "Slots were made by the rest of the plan."
)


def change_plan(study: Study, plan: dict[str, Any] | None, actor: Person | None) -> bool:
    """Give a study a plan, or none; False if nothing differs. A draft's items must be prepared again after it.

    Raises PlanInvalidError and StudyRefusedError.
    """
    if plan is not None:
        read_plan(plan)
    with transaction.atomic():
        now = lock_study(study.pk)
        old = now.options.get(OPTION)
        if old == plan:
            return False
        if now.status == Study.Status.CLOSED:
            raise StudyRefusedError("The study is closed: nobody is given tasks any more.")
        if now.status == Study.Status.DRAFT:
            now.planned_through = 0
        else:
            _give_up_lists(now, old or {}, plan or {})
        now.options = {key: value for key, value in now.options.items() if key != OPTION}
        if plan is not None:
            now.options[OPTION] = plan
        now.save(update_fields=["options", "planned_through"])
        record("plan changed", study.slug, actor=actor, study=study.slug, old={OPTION: old}, new={OPTION: plan})
    study.options, study.planned_through = now.options, now.planned_through
    return True


def _give_up_lists(study: Study, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Let anybody take the slots of raters who have no list any more. Raises StudyRefusedError for other changes."""
    before, after = old.get("lists", {}), new.get("lists", {})
    fixed = [{key: value for key, value in one.items() if key not in (*CAPS, "lists")} for one in (old, new)]
    if fixed[0] != fixed[1] or any(before.get(rater) != items for rater, items in after.items()):
        raise StudyRefusedError(LATER)
    for rater in sorted(set(before) - set(after)):
        slots = Slot.objects.filter(study=study, kept_for=rater)
        pks = list(slots.select_for_update(no_key=True).order_by("pk").values_list("pk", flat=True))
        Slot.objects.filter(pk__in=pks).update(kept_for="")
