"""Rows of kept counts with a sample, for tests that open every page and use every model."""

from django.utils import timezone

from annotation.models import Annotation, DrawnAnswer, ItemCopy, StudyCounts, StudyDeletion


def add_study_counts(study):
    """Finished counts of the study's first batch, whose sample is one answer; both rows by their models' names."""
    now = timezone.now()
    state = {"first": 1, "last": 2, "places": 12, "filled": 1}
    counts = StudyCounts.objects.create(
        study=study, subject="batch 0", figures={"state": state, "sampled": 1, "CANARY-KEY": 1}, status="done",
        read_at=now, ended_at=now,
    )  # fmt: skip
    answer = Annotation.objects.filter(rater__study=study).first()
    drawn = DrawnAnswer.objects.create(counts=counts, place=0, task_id=answer.task_id, rater_id=answer.rater_id)
    return {"studycounts": counts, "drawnanswer": drawn}


def add_study_work(study, person):
    """A copy of items into the study that failed, and a deletion of another one, by their models' names."""
    ended = {"asked_by": person, "status": "failed", "reason": "CANARY-REASON", "ended_at": timezone.now()}
    return {
        "itemcopy": ItemCopy.objects.create(study=study, source_pk=0, **ended),
        "studydeletion": StudyDeletion.objects.create(study_pk=0, slug="gone", **ended),
    }
