"""The life cycle of a study: draft → live ⇄ paused → closed; tasks and slots are made before it goes live."""

import time

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Guideline, Study
from annotation.protocols import protocols
from annotation.studies.batches import release_first
from annotation.studies.corrections import StudyRefusedError, check_correction
from annotation.studies.file_sections import begin_sections
from annotation.studies.live_checks import blocking_problems
from annotation.studies.locking import lock_study
from annotation.studies.planning import CHUNK, is_planned, plan_chunk
from annotation.studies.unplanning import remove_outdated
from config.parts import parts_of
from config.write_pauses import STEP_SECONDS, WritePauses

Status = Study.Status
FIRST_CHUNK = 50
"""Items; how long the first chunk takes decides the size of the next."""


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
    search = parts_of(study).search
    if search is not None:
        search.recount(study)
    protocols()[study.protocol].flow.on_prepared(study)
    return True


def make_live(study: Study, actor: Person | None) -> None:
    """Let annotators work, on a draft whose items are all prepared or after a pause."""
    _check_ready(study)
    _step(study, (Status.DRAFT, Status.PAUSED), Status.LIVE, actor)


def reopen(study: Study, actor: Person | None, reason: str = "") -> None:
    """Let annotators work again on a closed study; invitations that have not expired work again too.

    A locked one needs a reason, and is not locked any more.
    """
    _check_ready(study)
    _step(study, (Status.CLOSED,), Status.LIVE, actor, reason)


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
        if old == Status.CLOSED:
            check_correction(now, reason)
        now.status, now.locked_at = to, None
        now.save(update_fields=["status", "locked_at"])
        new = {"status": to.value, "reason": reason} if reason else {"status": to.value}
        record("status changed", study.slug, actor=actor, study=study.slug, old={"status": old}, new=new)
        if to is Status.LIVE:
            release_first(now, actor)
            begin_sections(now, actor)
    study.status, study.locked_at = to, None


def describe(
    study: Study, actor: Person | None, *, title: str, description: str, contact: str, reason: str = ""
) -> bool:
    """Change title, description and contact of a study; False if nothing differs. Raises StudyRefusedError."""
    with transaction.atomic():
        now = lock_study(study.pk)
        given = {"title": title, "description": description, "contact": contact}
        new = {name: value for name, value in given.items() if getattr(now, name) != value}
        if not new:
            return False
        why, old = check_correction(now, reason), {name: getattr(now, name) for name in new}
        for name, value in new.items():
            setattr(now, name, value)
        now.save(update_fields=list(new))
        record("study described", study.slug, actor=actor, study=study.slug, old=old, new={**new, **why})
    return True


def publish_guidelines(
    study: Study, text: str, actor: Person | None, reason: str = "", *, changes_meaning: bool = False
) -> Guideline:
    """Add a version of the guidelines; if the text is unchanged, the latest version stays.

    Open pages keep the version that they were opened with. With `changes_meaning`, people take steps before tasks
    again, if the study has some that depend on it. Raises StudyRefusedError.
    """
    with transaction.atomic():
        now = lock_study(study.pk)
        latest = Guideline.objects.filter(study=study).order_by("-number").first()
        if latest is not None and latest.text == text:
            return latest
        why, number = check_correction(now, reason), latest.number + 1 if latest else 1
        added = Guideline.objects.create(study=study, number=number, text=text)
        said = {"version": number, **({"changes_meaning": True} if changes_meaning else {}), **why}
        record("guidelines published", f"version {number}", actor=actor, study=study.slug, new=said)
        if changes_meaning:
            steps = parts_of(now).steps
            if steps is not None:
                steps.repeat(now, number, actor)
    return added
