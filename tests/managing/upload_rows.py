"""Rows of uploads, for tests that open every page and use every model."""

from django.utils import timezone

from annotation.models import TaskPreparation
from managing.models import ItemUpload, UploadStep


def add_upload_rows(study, person=None):
    """An upload that was imported, its import, and a preparation of tasks; each by its model's name."""
    now = timezone.now()
    upload = ItemUpload.objects.create(
        study=study, person=person, table="items", name="CANARY-FILE.jsonl", size=10, received=10, has_file=False,
        changed_at=now,
    )  # fmt: skip
    findings = {"added": {"items": 1}, "problems": [{"line": 1, "field": "CANARY-KEY", "reason": "CANARY-REASON"}]}
    step = UploadStep.objects.create(
        upload=upload, kind="import", status="done", read=10, findings=findings, ended_at=now
    )
    preparation = TaskPreparation.objects.create(study=study, person=person, status="done", ended_at=now)
    return {"itemupload": upload, "uploadstep": step, "taskpreparation": preparation}
