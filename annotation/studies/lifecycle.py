"""The life cycle of a study: draft → live ⇄ paused → closed; tasks and slots are made before it goes live."""

import time

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Guideline, Study
from annotation.protocols import protocols
from annotation.studies.batches import release_first
from annotation.studies.live_checks import blocking_problems
from annotation.studies.locking import lock_study
from annotation.studies.planning import CHUNK, is_planned, plan_chunk
from annotation.studies.unplanning import remove_outdated
from config.write_pauses import STEP_SECONDS, WritePauses

Status = Study.Status
FIRST_CHUNK = 50
"""Items; how long the first chunk takes decides the size of the next."""


class StudyRefusedError(Exception):
    """The study cannot take this step now; the message gives the reason and what to do first."""


def prepare(study: Study, seconds: float) -> bool:
    """Make tasks and slots for at most about `seconds`; returns whether every item now has its tasks.

    Each chunk is a transaction of its own, so that the next call continues from there. A chunk is as large as fits
    into one short step, so that others can write in between.
    """
    if not remove_outdated(study, seconds):
        return False
    began = time.monotonic()
    end, size, pauses = began + seconds, FIRST_CHUNK, WritePauses()
    while plan_chunk(study, size):
        now = time.monotonic()
        if now >= end:
            study.refresh_from_db(fields=["planned_through"])
            return is_planned(study)
        fitting = int(size * STEP_SECONDS / max(now - began, 0.001))
        size = max(1, min(fitting, 4 * size, CHUNK))
        pauses.take()
        began = time.monotonic()
    study.refresh_from_db(fields=["planned_through"])
    protocols()[study.protocol].flow.on_prepared(study)
    return True


def make_live(study: Study, actor: Person | None) -> None:
    """Let annotators work, on a draft whose items are all prepared or after a pause."""
    _check_ready(study)
    _step(study, (Status.DRAFT, Status.PAUSED), Status.LIVE, actor)


def reopen(study: Study, actor: Person | None) -> None:
    """Let annotators work again on a closed study; invitations that have not expired work again too."""
    _check_ready(study)
    _step(study, (Status.CLOSED,), Status.LIVE, actor)


def _check_ready(study: Study) -> None:
    problems = [one.text for one in blocking_problems(study)]
    if not is_planned(study):
        problems.append("Some items are not prepared yet. Prepare them first.")
    if problems:
        raise StudyRefusedError(" ".join(problems))


def pause(study: Study, actor: Person | None, reason: str = "") -> None:
    """Stop giving out tasks. Open tasks can still be submitted."""
    _step(study, (Status.LIVE,), Status.PAUSED, actor, reason)


def close(study: Study, actor: Person | None, reason: str = "") -> None:
    """End the study for its annotators and its invitations. An owner can reopen it."""
    _step(study, (Status.LIVE, Status.PAUSED), Status.CLOSED, actor, reason)


def _step(
    study: Study, since: tuple[Study.Status, ...], to: Study.Status, actor: Person | None, reason: str = ""
) -> None:
    with transaction.atomic():
        now = lock_study(study.pk)
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
    """Change title, description and contact of a study; False if nothing differs."""
    with transaction.atomic():
        now = lock_study(study.pk)
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
    """Add a version of the guidelines; if the text is unchanged, the latest version stays.

    Open pages keep the version that they were opened with.
    """
    with transaction.atomic():
        lock_study(study.pk)
        latest = Guideline.objects.filter(study=study).order_by("-number").first()
        if latest is not None and latest.text == text:
            return latest
        number = latest.number + 1 if latest else 1
        added = Guideline.objects.create(study=study, number=number, text=text)
        record("guidelines published", f"version {number}", actor=actor, study=study.slug, new={"version": number})
    return added
