"""A dry run, for tests that open every page and use every model."""

from django.utils import timezone

from parts.dry_runs.models import StudyDryRun


def add_dry_run_rows(study, person):
    """A dry run that has ended, with the study itself as its copy."""
    run = StudyDryRun.objects.create(
        source_pk=study.pk, study=study, asked_by=person, raters=2, accuracy=0.8, bias=0, seconds=60, status="done",
        ended_at=timezone.now(), reason="CANARY-REASON",
    )  # fmt: skip
    return {"studydryrun": run}
