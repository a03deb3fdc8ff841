"""Deletes a study for good, with everything in it."""

from django.db import IntegrityError
from django.db.models import OuterRef

from accounts.audited_erasure import STUDY_ERASED, ErasureRefusedError, audited_erasure, erase_audit
from accounts.models import Person
from annotation.erasing import all_erasing
from annotation.models import Project, Study
from annotation.studies.queries import CountOf
from config.background.rows import Row
from config.background.rows import Status as WorkStatus

MOST_SHOWN = 10_000
BUSY = "Somebody, or background work, is still active in this study. Nothing was erased; wait a moment and try again."


def erase_study(study: Study, actor: Person | None) -> None:
    """Delete the study with all rows and files, its calls and its audit entries. One new entry stays, with sums,
    as do those of erased studies that had the same slug.

    Raises ErasureRefusedError if annotators may still work in it or work is running; nothing was deleted then.
    """
    if study.status not in (Study.Status.DRAFT, Study.Status.CLOSED):
        raise ErasureRefusedError(f"The study is {study.status}. Close it first.")
    if any(_running(study)):
        raise ErasureRefusedError(BUSY)
    parts = all_erasing()
    new = {key: value for part in parts for key, value in part.summary(study).items()}
    for part in parts:
        part.remove_files(study)
    try:
        with audited_erasure(STUDY_ERASED, f"study {study.pk}", actor=actor, study=study.slug, new=new) as erased:
            erase_audit(study.slug, erased)
            for part in parts:
                for model, path in part.study_rows:
                    rows = model._default_manager.filter(**{path: study.pk})
                    # Running work stays, so that the end of the transaction refuses to delete its study.
                    erased.delete(rows.exclude(status=WorkStatus.RUNNING) if issubclass(model, Row) else rows)
            erased.delete(Project.objects.filter(studies=None))
    except IntegrityError as problem:
        raise ErasureRefusedError(BUSY) from problem


def rows_of(study: Study) -> dict[str, int]:
    """Return how many rows of each table `erase_study` would delete."""
    counts = {
        model._meta.verbose_name_plural: model._default_manager.filter(**{path: study.pk}).count()
        for part in all_erasing()
        for model, path in part.study_rows
    }
    return {str(name): count for name, count in counts.items() if count}


def shown_rows_of(study: Study) -> list[tuple[str, int]]:
    """Return the tables with rows that `erase_study` would delete, and how many, counted up to MOST_SHOWN + 1.

    One query, whatever the size of the study.
    """
    tables = [(model, path) for part in all_erasing() for model, path in part.study_rows if model is not Study]
    counts = {
        f"rows_{number}": CountOf(
            model._default_manager.filter(**{path: OuterRef("pk")}).order_by().values("pk")[: MOST_SHOWN + 1]
        )
        for number, (model, path) in enumerate(tables)
    }
    found = Study.objects.filter(pk=study.pk).annotate(**counts).values_list(*counts).get()
    named = zip((str(model._meta.verbose_name_plural) for model, _ in tables), found, strict=True)
    return [(name, count) for name, count in named if count]


def _running(study: Study) -> list[bool]:
    return [
        model._default_manager.filter(**{path: study.pk}, status=WorkStatus.RUNNING).exists()
        for part in all_erasing()
        for model, path in part.study_rows
        if issubclass(model, Row)
    ]
