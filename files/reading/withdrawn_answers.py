"""Answers that imported revisions take back: files and reports that were made from them go, as after an undo."""

from collections.abc import Collection

from accounts.auditing import record
from accounts.models import Person
from annotation.erasing import ANSWERS_TAKEN_BACK, all_erasing
from annotation.models import Annotation, Study
from config.database_clock import database_now

LOOKUP = 500


def withdraw_answers(study: Study, pairs: Collection[tuple[int, int]], actor: Person | None) -> None:
    """Remove what was kept with the present answers of `pairs` (task, rater).

    Call it in the transaction that decides an import, before its rows are written.
    """
    times, tasks = [], sorted({task for task, _ in pairs})
    for start in range(0, len(tasks), LOOKUP):
        rows = Annotation.objects.filter(
            task__in=tasks[start : start + LOOKUP], is_current=True, status=Annotation.Status.SUBMITTED
        )
        times += [at for task, rater, at in rows.values_list("task", "rater", "submitted_at") if (task, rater) in pairs]
    if not times:
        return
    now = database_now()
    told = [at for at in times if at is not None and at <= now]
    earliest = min(told) if len(told) == len(times) else None
    for part in all_erasing():
        part.answer_withdrawn(study, earliest)
    record(ANSWERS_TAKEN_BACK, study.slug, actor=actor, study=study.slug, new={"answers": len(times)})
