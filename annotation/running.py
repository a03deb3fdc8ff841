"""Running a study: draft → live ⇄ paused → closed, with its tasks and slots made before it goes live."""

import time

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.batching import release_first
from annotation.models import Guideline, Item, Study
from annotation.planning import is_planned, plan_chunk
from annotation.protocols import StudyInvalidError, protocols

Status = Study.Status


class StudyRefusedError(Exception):
    """A step that the study cannot take now; the message says why, and what to do first."""


def prepare(study: Study, seconds: float) -> bool:
    """Make tasks and slots for about `seconds` at most; whether every item has its own now.

    Each chunk is whole and its own transaction, so that whoever comes next goes on from there.
    """
    end = time.monotonic() + seconds
    while plan_chunk(study):
        if time.monotonic() >= end:
            study.refresh_from_db(fields=["planned_through"])
            return is_planned(study)
    study.refresh_from_db(fields=["planned_through"])
    protocols()[study.protocol].prepared(study)
    return True


def make_live(study: Study, actor: Person | None) -> None:
    """Let annotators work: from a draft whose items are all prepared, or after a pause."""
    _check_ready(study)
    _step(study, (Status.DRAFT, Status.PAUSED), Status.LIVE, actor)


def reopen(study: Study, actor: Person | None) -> None:
    """Let annotators work again after closing; its invitations that have not expired work again too."""
    _check_ready(study)
    _step(study, (Status.CLOSED,), Status.LIVE, actor)


def _check_ready(study: Study) -> None:
    if not Item.objects.filter(study=study).exists():
        raise StudyRefusedError("This study has no items yet: import some first.")
    if not is_planned(study):
        raise StudyRefusedError("Not all items are prepared yet: prepare them first.")
    try:
        protocols()[study.protocol].check_live(study)
    except StudyInvalidError as problem:
        raise StudyRefusedError(str(problem)) from None


def pause(study: Study, actor: Person | None, reason: str = "") -> None:
    """Give out no more work. What is under way can still be submitted."""
    _step(study, (Status.LIVE,), Status.PAUSED, actor, reason)


def close(study: Study, actor: Person | None, reason: str = "") -> None:
    """End the study for its annotators; invitations to it end too. An owner can open it again."""
    _step(study, (Status.LIVE, Status.PAUSED), Status.CLOSED, actor, reason)


def _step(
    study: Study, since: tuple[Study.Status, ...], to: Study.Status, actor: Person | None, reason: str = ""
) -> None:
    with transaction.atomic():
        now = Study.objects.select_for_update().get(pk=study.pk)
        old = now.status
        if old not in since:
            raise StudyRefusedError(f"A study that is {old} cannot become {to.value}.")
        now.status = to
        now.save(update_fields=["status"])
        new = {"status": to.value, "reason": reason} if reason else {"status": to.value}
        record("status changed", study.slug, actor=actor, study=study.slug, old={"status": old}, new=new)
        if to is Status.LIVE:
            release_first(now, actor)
    study.status = to


def describe(study: Study, actor: Person | None, *, title: str, description: str, contact: str) -> bool:
    """Change what annotators read about a study; False where nothing differs."""
    with transaction.atomic():
        now = Study.objects.select_for_update().get(pk=study.pk)
        given = {"title": title, "description": description, "contact": contact}
        new = {name: value for name, value in given.items() if getattr(now, name) != value}
        if not new:
            return False
        old = {name: getattr(now, name) for name in new}
        for name, value in new.items():
            setattr(now, name, value)
        now.save(update_fields=list(new))
        record("study described", study.slug, actor=actor, study=study.slug, old=old, new=new)
    return True


def publish_guidelines(study: Study, text: str, actor: Person | None) -> Guideline:
    """Add a version of the guidelines; the version in force stays where the text is the same.

    Who is working keeps the version that their page was opened with.
    """
    with transaction.atomic():
        Study.objects.select_for_update().get(pk=study.pk)
        latest = Guideline.objects.filter(study=study).order_by("-number").first()
        if latest is not None and latest.text == text:
            return latest
        number = latest.number + 1 if latest else 1
        added = Guideline.objects.create(study=study, number=number, text=text)
        record("guidelines published", f"version {number}", actor=actor, study=study.slug, new={"version": number})
    return added
