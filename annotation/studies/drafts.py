"""Drafts of studies: changed as a whole."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.importing.study_file import checked_study
from annotation.models import Guideline, Question, Study
from annotation.studies.lifecycle import StudyRefusedError
from annotation.studies.locking import lock_study


def change_draft(study: Study, body: Mapping[str, Any], actor: Person | None) -> None:
    """Make a draft what the body of a study file says. Raises ImportRefusedError or StudyRefusedError."""
    file = checked_study(dict(body), "Study")
    with transaction.atomic():
        now = lock_study(study.pk)
        if now.status != Study.Status.DRAFT:
            raise StudyRefusedError("Only a draft can be changed.")
        now.title, now.description, now.contact = file.title or "", file.description or "", file.contact or ""
        now.language, now.redundancy, now.options = file.language or "en", file.redundancy, dict(file.options or {})
        now.save()
        Question.objects.filter(study=now).delete()
        for question in file.questions:
            question.study = now
        Question.objects.bulk_create(file.questions)
        newest = Guideline.objects.filter(study=now).order_by("-number").first()
        if file.guidelines is not None and (newest is None or newest.text != file.guidelines):
            Guideline.objects.create(study=now, number=newest.number + 1 if newest else 1, text=file.guidelines)
        record("draft changed", study.slug, actor=actor, study=study.slug, new={"questions": len(file.questions)})
