"""Starts, makes, stops and removes dry runs: the only writer of their rows and copies."""

import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, QuerySet

from accounts.audited_erasure import ErasureRefusedError
from accounts.auditing import record
from accounts.models import Person
from accounts.reserved_names import RESERVED_PREFIX
from annotation.dry_run_option import DRY_RUN
from annotation.members.membership import add_member
from annotation.models import Study
from annotation.models.people import Role
from annotation.pools import MAIN
from annotation.protocols import protocols
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.file_sections import sections_copied
from annotation.studies.lifecycle import close
from annotation.studies.locking import lock_study
from annotation.studies.snapshots import study_snapshot
from annotation.studies.study_deletion import delete_study
from config.background.claiming import ask_to_stop
from config.background.kinds import works
from config.background.rows import WAITING
from config.background.waking import enqueue, enqueue_again
from files.entered.drafts import make_draft
from files.reading import add_to_study
from files.writing.file_writers import write_jsonl
from files.writing.study_lines import item_lines
from files.writing.study_yaml import study_body
from parts.dry_runs.desk_requests import DeskVisitor
from parts.dry_runs.models import StudyDryRun
from parts.dry_runs.session_requests import VISITORS
from parts.dry_runs.settings import mark_of

WORK_KEY = "dry_run"
FULL_NAME = "Synthetic rater"
UNKNOWN_PAGES = "Synthetic raters do not know the pages of this protocol."
OF_DRY_RUN = "This study is itself a dry run."
UNDER_WAY = "A dry run of this study is under way. Stop it first."


def start_dry_run(study: Study, settings: dict[str, Any], person: Person | None) -> StudyDryRun:
    """Queue a dry run of the study. Raises StudyRefusedError."""
    if study.is_dry_run:
        raise StudyRefusedError(OF_DRY_RUN)
    if protocols()[study.protocol].flow.has_own_pages and study.protocol not in VISITORS:
        raise StudyRefusedError(UNKNOWN_PAGES)
    try:
        with transaction.atomic():
            lock_study(study.pk)
            row = StudyDryRun.objects.create(source_pk=study.pk, asked_by=person, **settings)
            record("dry run started", study.slug, actor=person, study=study.slug, new=settings)
            enqueue(works()[WORK_KEY], row)
            return row
    except IntegrityError:
        raise StudyRefusedError(UNDER_WAY) from None


def stop_dry_run(row: StudyDryRun) -> None:
    """Stop it at its next step; what it has answered stays."""
    ask_to_stop(works()[WORK_KEY], row)


def continue_dry_run(row: StudyDryRun) -> None:
    """Go on with one that was stopped or failed."""
    enqueue_again(works()[WORK_KEY], row)


def remove_dry_run(row: StudyDryRun, person: Person | None) -> None:
    """Delete the copy with all its answers, its synthetic people and the row. Raises ErasureRefusedError."""
    if row.status in WAITING:
        raise ErasureRefusedError("The dry run is under way. Stop it first.")
    study = row.study
    people = [] if study is None else list(_people_in(study))
    if study is None:
        row.delete()
    else:
        study.refresh_from_db()
        if study.status in (Study.Status.LIVE, Study.Status.PAUSED):
            close(study, person, "dry run removed")
        delete_study(study, person)  # its rows include this dry run
    for one in people:
        try:
            one.delete()
        except ProtectedError:  # a worker still deletes the copy
            Person.objects.filter(pk=one.pk).update(is_active=False)


def make_copy(source: Study, row: StudyDryRun) -> Study:
    """The copy of a dry run; items copied before stay. Raises ImportRefusedError and ImportPendingError."""
    copy = row.study
    if copy is None:
        actor = row.asked_by or source.memberships.filter(role=Role.OWNER, active=True).order_by("pk")[0].person
        body = sections_copied(study_body(source), dry_run=True)
        body["options"] = VISITORS.get(source.protocol, DeskVisitor).options_of_copy(body.get("options", {}))
        body |= {"slug": f"dry-run-{row.pk}-{source.slug}"[:100].rstrip("-")}
        body |= {"title": f"Dry run of {source}", DRY_RUN: mark_of(source.slug)}
        with transaction.atomic():
            copy = make_draft(body, actor)
            StudyDryRun.objects.filter(pk=row.pk).update(study=copy)
        row.study = copy
    with TemporaryDirectory(prefix="interrater-dry-run-") as folder:
        path = Path(folder) / "items.jsonl"
        with study_snapshot(source) as present:
            written = write_jsonl(path, _copied(item_lines(present), row.items))
        if written.lines:
            add_to_study(copy, {"items": path}, row.asked_by, via=f"dry run of {source.slug}", own_names=True)
    return copy


def _copied(lines: Iterable[dict[str, Any]], most: int | None) -> Iterator[dict[str, Any]]:
    """The lines of items that a dry run copies: at most so many of the main pool, and all for practice."""
    main = 0
    for line in lines:
        if "withdrawn" in line:
            continue
        if line.get("pool", MAIN) == MAIN:
            main += 1
            if most is not None and main > most:
                continue
        yield line


def synthetic_people(row: StudyDryRun, study: Study) -> list[Person]:
    """The accounts of a dry run's raters, who are annotators of its copy and cannot sign in."""
    people = list(_people_in(study))
    for number in range(len(people) + 1, max(row.raters, study.redundancy) + 1):
        with transaction.atomic():
            person = Person(
                username=f"{RESERVED_PREFIX}{row.pk}-{number}-{secrets.token_hex(4)}",
                full_name=f"{FULL_NAME} {number}", is_synthetic=True,
            )  # fmt: skip
            person.set_unusable_password()
            person.save()
            add_member(study, person, Role.ANNOTATOR.value, None)
        people.append(person)
    return people


def _people_in(study: Study) -> QuerySet[Person]:
    """The synthetic people of a copy, in the order in which they were made."""
    return Person.objects.filter(memberships__study=study, is_synthetic=True).order_by("pk")
