"""What needs somebody's attention on a study's overview: each app names rows, and all are counted in one query."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet

from annotation.models import Study
from annotation.studies.counting import CountOf
from config.parts import parts


@dataclass(frozen=True)
class StudyNotice:
    """Rows of the study of an outer query that wait for somebody, and the route of the page where they can be seen.

    The sentences for 1 and for other numbers have the number as `{n}`. Most notices are about answers, so drafts have
    none.
    """

    rows: Callable[[OuterRef], QuerySet[Any]]
    route: str
    one: str
    many: str
    in_drafts: bool = False


@dataclass(frozen=True)
class ShownNotice:
    """A sentence, and the route of the page of the study where something can be done about it."""

    text: str
    route: str


def study_notices(study: Study) -> list[ShownNotice]:
    """Return what the notices of all apps say, as far as they have rows."""
    is_draft = study.status == Study.Status.DRAFT
    notices = [notice for part in parts() for notice in part.notices if notice.in_drafts or not is_draft]
    waiting = [(notice, notice.rows(OuterRef("pk"))) for notice in notices]
    waiting = [(notice, rows) for notice, rows in waiting if not rows.query.is_empty()]
    if not waiting:
        return []
    counted = [CountOf(rows.order_by().values("pk")) for _, rows in waiting]
    counts: Any = Study.objects.filter(pk=study.pk).values_list(*counted).get()
    return [
        ShownNotice((notice.one if count == 1 else notice.many).format(n=count), notice.route)
        for (notice, _), count in zip(waiting, counts, strict=True) if count
    ]  # fmt: skip
