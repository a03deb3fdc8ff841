"""Rules about counts that are kept beside the rows that they count.

Kept counts may be of an earlier moment, because workers count again after a rest. They are compared only if nothing
that they count has changed since: the audit has no entry of the study after them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from accounts.models import AuditEntry
from annotation.models import Study, StudyCounts
from annotation.review.span_steps import count_spans
from annotation.studies.batches import state_of
from annotation.studies.kept_counts import BATCH, OF_NO_COUNT, OVERVIEW, SPANS
from annotation.studies.study_overview import count_overview
from config.parts import figureless_actions
from operating.data_check import DataCheck, Row, sql_check, sql_rows
from reports.models import KeptReport

SLACK = timedelta(minutes=5)
"""How long before the counts an entry may be dated that became visible after them."""
TIMED = ("pace",)
"""Counts that change with time alone."""
SUMMARIES = (
    "SELECT m.item_id, m.answers, m.machine_answers, n.answers AS people, n.machines FROM managing_itemsummary m "
    "LEFT JOIN (SELECT r.item_id, SUM(CASE WHEN p.kind = 'human' THEN 1 ELSE 0 END) AS answers, "
    "SUM(CASE WHEN p.kind = 'human' THEN 0 ELSE 1 END) AS machines FROM annotation_rating r "
    "JOIN annotation_rater p ON p.id = r.rater_id WHERE r.study_id = %s AND r.is_current GROUP BY r.item_id) n "
    "ON n.item_id = m.item_id WHERE m.study_id = %s "
    "AND (m.answers <> COALESCE(n.answers, 0) OR m.machine_answers <> COALESCE(n.machines, 0))"
)


def has_changed(study: Study, moment: datetime) -> bool:
    """Whether anything that is counted may have changed since, or shortly before."""
    entries = AuditEntry.objects.filter(study=study.slug, at__gt=moment - SLACK)
    return entries.exclude(action__in=OF_NO_COUNT | figureless_actions()).exists()


def kept_counts() -> Iterator[Row]:
    for row in StudyCounts.objects.filter(status="done").select_related("study").order_by("pk").iterator():
        if row.read_at is None or has_changed(row.study, row.read_at):
            continue
        now = _counted(row.study, row.subject)
        for name in sorted(now):
            if name not in TIMED and row.figures.get(name) != now[name]:
                yield {"id": row.pk, "subject": row.subject, "count": name}


def _counted(study: Study, subject: str) -> Mapping[str, Any]:
    """The counts of now; nothing for subjects that change with time."""
    if subject == OVERVIEW:
        return count_overview(study)
    if subject == SPANS:
        return count_spans(study)
    if subject.startswith(BATCH):
        state = asdict(state_of(study, int(subject.removeprefix(BATCH))))
        del state["number"]
        return {"state": state}
    return {}


def item_summaries() -> Iterator[Row]:
    for report in KeptReport.objects.filter(kind="items", status="done", frozen_as=None).select_related("study"):
        if report.read_at is not None and not has_changed(report.study, report.read_at):
            yield from sql_rows(SUMMARIES, [report.study_id, report.study_id])


def planned_items() -> Iterator[Row]:
    """Studies that count an item as planned although it has no tasks; items of other pools have none."""
    sql = (
        "SELECT s.id AS study, i.id AS item FROM annotation_study s JOIN annotation_item i ON i.study_id = s.id "
        "WHERE s.status <> 'draft' AND i.pool = 'main' AND i.withdrawn_at IS NULL AND i.id <= s.planned_through "
        "AND s.protocol <> 'session' AND NOT EXISTS (SELECT 1 FROM annotation_task t WHERE t.item_id = i.id)"
    )
    return sql_rows(sql)


CHECKS = (
    DataCheck("kept_count_drift", "A count that is kept for a study differs from its rows.", kept_counts),
    DataCheck("item_count_drift", "An item's kept count of answers differs from its ratings.", item_summaries),
    DataCheck("planned_without_tasks", "An item counts as planned, but has no tasks.", planned_items),
    sql_check(
        "sample_count_drift",
        "An answer in a sample is marked as checked, but nobody has checked it, or the other way round.",
        "SELECT d.id, d.task_id, d.rater_id FROM annotation_drawnanswer d "
        "JOIN annotation_studycounts k ON k.id = d.counts_id AND k.status = 'done' "
        "WHERE d.is_open = EXISTS (SELECT 1 FROM annotation_spotcheck c JOIN annotation_annotation a "
        "ON a.id = c.annotation_id WHERE a.task_id = d.task_id AND a.rater_id = d.rater_id)",
    ),
)
