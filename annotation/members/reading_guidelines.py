"""Raters confirm that they have read the study's guidelines: asked before their first task, and once.

A newer version is not asked for again, so that nobody is stopped in the middle of their work: the home page links to
it, and *My answers* finds the answers that were given under an earlier one.
"""

from django.db import transaction

from accounts.auditing import record
from annotation.models import Assignment, Guideline, Rater, Study
from annotation.studies.locking import lock_rater


def newest_guidelines(study: Study) -> Guideline | None:
    """Return the version that raters read now."""
    return Guideline.objects.filter(study=study).order_by("-number").first()


def must_read(rater: Rater) -> bool:
    """Whether the rater's first task is still to come, and guidelines are to be confirmed before it.

    A query only of raters who have not confirmed any.
    """
    if rater.guidelines_read is not None or Assignment.objects.filter(rater=rater).exists():
        return False
    return newest_guidelines(rater.study) is not None


def confirm_reading(rater: Rater, version: Guideline) -> bool:
    """Keep with the rater, and in the audit, that they have read this version; False if they had read it or a newer."""
    with transaction.atomic():
        rater = lock_rater(rater.pk, "person", "study")
        before = rater.guidelines_read
        if before is not None and before >= version.number:
            return False
        rater.guidelines_read = version.number
        rater.save(update_fields=["guidelines_read"])
        subject = f"version {version.number} by {rater.name}"
        record(
            "guidelines read", subject, actor=rater.person, study=rater.study.slug,
            old={"version": before}, new={"version": version.number},
        )  # fmt: skip
    return True
