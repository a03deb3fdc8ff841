"""Deletes a study for good, with everything in it."""

from typing import Any

from django.db import IntegrityError
from django.db.models import Model, QuerySet

from accounts.audited_erasure import (
    STUDY_ERASED,
    ErasureRefusedError,
    audited_erasure,
    check_absent_parts,
    erase_audit,
)
from accounts.models import Person
from annotation.erasing import all_erasing
from annotation.large_lists import Range, of_items, ranges_of
from annotation.models import Item, Project, Study
from annotation.studies.queries import CountOf
from config.background.rows import Row
from config.background.rows import Status as WorkStatus
from config.erasure import ErasedRows

MOST_SHOWN = 1000
BUSY = "Somebody, or background work, is still active in this study. Nothing was erased; wait a moment and try again."


def erase_study(study: Study, actor: Person | None) -> None:
    """Delete the study with all rows and files, its calls and its audit entries. One new entry stays, with sums,
    as do those of erased studies that had the same slug.

    Raises ErasureRefusedError if annotators may still work in it or work is running; nothing was deleted then.
    """
    check_status(study)
    if has_running(study):
        raise ErasureRefusedError(BUSY)
    check_absent_parts(study.slug)
    new = sums_of(study)
    for part in all_erasing():
        part.remove_files(study)
    try:
        with audited_erasure(STUDY_ERASED, scope_of(study), actor=actor, study=study.slug, new=new) as erased:
            erase_rows(study, erased, running=False)
    except IntegrityError as problem:
        raise ErasureRefusedError(BUSY) from problem


def check_status(study: Study) -> None:
    """Raise ErasureRefusedError if annotators may still work in the study."""
    if study.status not in (Study.Status.DRAFT, Study.Status.CLOSED):
        raise ErasureRefusedError(f"The study is {study.status}. Close it first.")


def scope_of(study: Study) -> str:
    """Return what erasures of the study have as their scope."""
    return f"study {study.pk}"


def sums_of(study: Study) -> dict[str, Any]:
    """Return what the audit keeps about the study."""
    return {key: value for part in all_erasing() for key, value in part.summary(study).items()}


def erase_rows(study: Study, erased: ErasedRows, *, running: bool) -> None:
    """Delete all rows of the study, its audit entries, and a project that has no other study.

    Unless `running`, running work stays, so that the end of the transaction refuses to delete its study.
    """
    erase_audit(study.slug, erased)
    for part in all_erasing():
        for model, path in part.study_rows:
            rows = model._default_manager.filter(**{path: study.pk})
            stays = issubclass(model, Row) and not running
            erased.delete(rows.exclude(status=WorkStatus.RUNNING) if stays else rows)
    erased.delete(Project.objects.filter(studies=None))


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

    A query per number of foreign keys between a table and the study. A table whose rows hang on those of an empty one
    is not asked: the database would look for them through all of the study's items.
    """
    tables = [(model, path) for part in all_erasing() for model, path in part.study_rows if model is not Study]
    counts: dict[type[Model], int] = {}
    ranges = ranges_of([study.pk])
    for hops in sorted({path.count("__") for _, path in tables}):
        asked = [
            (model, path)
            for model, path in tables
            if path.count("__") == hops and counts.get(_first_of(model, path), 1)
        ]
        counts.update(dict.fromkeys((model for model, path in tables if path.count("__") == hops), 0))
        found = {
            f"rows_{number}": CountOf(_shown_rows(model, path, study, ranges))
            for number, (model, path) in enumerate(asked)
        }
        numbers = Study.objects.filter(pk=study.pk).annotate(**found).values_list(*found).get() if found else ()
        counts.update(zip((model for model, _ in asked), numbers, strict=True))
    return [(str(model._meta.verbose_name_plural), counts[model]) for model, _ in tables if counts[model]]


def _first_of(model: type[Model], path: str) -> Any:
    """The model to which the first foreign key of a path points."""
    return model._meta.get_field(path.partition("__")[0]).related_model


def _shown_rows(model: type[Model], path: str, study: Study, ranges: list[Range]) -> QuerySet[Any]:
    """At most MOST_SHOWN + 1 of a table's rows; those with an item lie in the study's `ranges`."""
    rows = model._default_manager.filter(**{path: study.pk})
    if any(field.name == "item" and not field.null for field in model._meta.concrete_fields):
        rows = model._default_manager.filter(of_items([study.pk], ranges, "item", path))
    elif model is Item:
        rows = Item.objects.filter(study__gte=study.pk, study__lte=study.pk)
    return rows.order_by().values("pk")[: MOST_SHOWN + 1]


def has_running(study: Study) -> bool:
    """Whether a worker is busy with work of the study."""
    return any(
        model._default_manager.filter(**{path: study.pk}, status=WorkStatus.RUNNING).exists()
        for part in all_erasing()
        for model, path in part.study_rows
        if issubclass(model, Row)
    )
