"""The kinds of events that webhooks can send, and the audit entries from which they are made."""

from dataclasses import dataclass

from django.db import models


class EventKind(models.TextChoices):
    STUDY_LIVE = "study.live", "The study goes live"
    STUDY_PAUSED = "study.paused", "The study is paused"
    STUDY_CLOSED = "study.closed", "The study is closed"
    STUDY_FINISHED = "study.finished", "All items have all their answers"
    ITEMS_FINISHED = "items.finished", "Items have all their answers"
    ANSWERS_SUBMITTED = "answers.submitted", "Answers are submitted"
    TASKS_FLAGGED = "tasks.flagged", "Tasks are flagged"
    DATA_IMPORTED = "data.imported", "Data are imported"
    RUN_ENDED = "run.ended", "A run of a judge ends"
    REPORT_FROZEN = "report.frozen", "A report is frozen"
    EXPORT_READY = "export.ready", "An export is ready"


TEST = "webhook.test"
"""Sent on request, whatever kinds a webhook has chosen."""

SUBMITTED, FLAGGED = "task submitted", "task flagged"
STATUS_CHANGED = "status changed"
STATUSES = {
    "live": EventKind.STUDY_LIVE,
    "paused": EventKind.STUDY_PAUSED,
    "closed": EventKind.STUDY_CLOSED,
}


@dataclass(frozen=True)
class SingleEvent:
    """An event that is made from one audit entry: its kind, and the state that a run has afterwards."""

    kind: EventKind
    state: str = ""


SINGLE = {
    "study imported": SingleEvent(EventKind.DATA_IMPORTED),
    "run ended": SingleEvent(EventKind.RUN_ENDED),
    "run stopped": SingleEvent(EventKind.RUN_ENDED, "stopped"),
    "run out of budget": SingleEvent(EventKind.RUN_ENDED, "out of budget"),
    "report frozen": SingleEvent(EventKind.REPORT_FROZEN),
    "study exported": SingleEvent(EventKind.EXPORT_READY),
}
READ_ACTIONS = (SUBMITTED, FLAGGED, STATUS_CHANGED, *SINGLE)
"""The actions of the audit that are read for webhooks."""
