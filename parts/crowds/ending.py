"""How stays end: the outcome, the completion code, the tasks that are free again, and the way back."""

import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import DatabaseError, IntegrityError, transaction
from django.db.models import F, OuterRef, Q, QuerySet

from accounts.auditing import record
from accounts.models import Person
from annotation.desk.assigning import release_held_by, skipped_and_open
from annotation.members.last_work import last_worked_at
from annotation.members.standing import awaits_decision, is_awaited
from annotation.models import Annotation, Rater, Study
from annotation.studies.locking import ImportPendingError, RaterGoneError, lock_rater, lock_study
from annotation.studies.queries import MyWork, work_in
from config.database_clock import database_now
from parts.crowds.link_settings import public_link_of
from parts.crowds.models import CrowdId, CrowdStay
from parts.crowds.recruiter_settings import PARTS, recruiter_of
from parts.way_in.step_kinds.screen import ScreenStep
from parts.way_in.steps_taken import way_of

Outcome = CrowdStay.Outcome
logger = logging.getLogger(__name__)
LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""What own codes are made of: no letters that are mistaken for others."""
CODE_LETTERS, TRIES, AT_ONCE = 12, 20, 50
PATIENCE = timedelta(hours=1)
"""How much longer the stay of somebody lasts at least who could not continue for a while."""
AT_END = ("done", "waiting", "between", "paused", "closed")


@dataclass(frozen=True)
class WayBack:
    """What a person gets with the end of their stay: the code and the address of the recruiter, if there are any."""

    recruiter: str
    code: str
    address: str


def stay_of(study: Study, person: Person) -> CrowdStay | None:
    """Return the person's stay in the study, if they came by a link."""
    return CrowdStay.objects.filter(study=study, rater__person=person).select_related("rater").first()


def way_back(study: Study, stay: CrowdStay) -> WayBack | None:
    """Return the way back to the recruiter; None for people of the public link."""
    recruiter = recruiter_of(study)
    if recruiter is None or stay.source != CrowdStay.Source.RECRUITER:
        return None
    known = CrowdId.objects.filter(study=study, person=stay.rater.person_id).first()
    values = (known.participant, known.recruiter_study, known.session) if known else ("", "", "")
    ids = dict(zip(PARTS, values, strict=True))
    return WayBack(recruiter.name, stay.code, recruiter.return_address(stay.code, stay.outcome, ids))


def settle(study: Study, person: Person) -> CrowdStay | None:
    """End the person's stay if it is over for them, and return it; None if they have none."""
    if stay_of(study, person) is None:  # they learn nothing of the study, such as whether it is archived
        return None
    with transaction.atomic():
        locked = lock_study(study.pk, archived=True)
        stay = stay_of(locked, person)
        if stay is None:
            return None
        rater = _locked_rater(locked, stay)
        outcome = outcome_now(locked, rater)
        if outcome:
            end_stay(locked, rater, outcome, database_now(), actor=person)
        stay.refresh_from_db()
        return stay


def outcome_now(study: Study, rater: Rater) -> str:
    """Return how the stay of a rater ends now, or "" while there is something left to do."""
    way = way_of(study, rater)
    if way.step is not None:
        if way.halt is None or not way.halt.over:
            return ""
        return Outcome.SCREENED_OUT if isinstance(way.step.kind, ScreenStep) else Outcome.FAILED
    if study.archived_at is not None:  # it is closed, and in nobody's list of work
        return Outcome.COMPLETE if _answers(rater).exists() else Outcome.SCREENED_OUT
    work = work_in(rater.person, study) if rater.person else None
    if work is None:
        return ""
    return _outcome_of(work, rater)


def _answers(rater: Rater) -> QuerySet[Annotation]:
    return Annotation.objects.filter(rater=rater, is_current=True, status=Annotation.Status.SUBMITTED)


def _outcome_of(work: MyWork, rater: Rater) -> str:
    if work.is_stopped and work.state in ("stopped", "paused") and is_awaited(rater):
        return ""  # a pause is no end before a researcher has decided
    if work.state == "stopped":
        return Outcome.FAILED
    if work.state not in AT_END:
        return ""
    if _answers(rater).exists():
        return "" if open_again(work.study, rater) else Outcome.COMPLETE
    return Outcome.SCREENED_OUT if work.state in ("done", "between", "closed") else ""


def open_again(study: Study, rater: Rater) -> int:
    """How many tasks the rater has skipped that they still have to answer before their stay is complete.

    Only people of a recruiter, who are paid for completing the study, have to: as long as they may take the tasks back,
    the study is live, and they have given fewer answers than the recruiter's `least`, if there is one.
    """
    recruiter = recruiter_of(study)
    if recruiter is None or not study.is_live:
        return 0
    if not CrowdStay.objects.filter(rater=rater, source=CrowdStay.Source.RECRUITER).exists():
        return 0
    least = recruiter.body.get("least")
    return 0 if least is not None and _answers(rater).count() >= least else skipped_and_open(rater)


def end_stay(study: Study, rater: Rater, outcome: str, now: datetime, *, actor: Person | None) -> bool:
    """End the stay of a locked rater in a locked study; False if it has ended. Their open tasks are free again."""
    stay = CrowdStay.objects.filter(rater=rater, ended_at=None).first()
    if stay is None:
        return False
    recruiter = recruiter_of(study) if stay.source == CrowdStay.Source.RECRUITER else None
    if recruiter is not None and recruiter.has_own_codes(outcome):
        _end_with_own_code(stay, outcome, now)
    else:
        _write(stay, outcome, now, recruiter.fixed_code(outcome) if recruiter else "", is_own=False)
    release_held_by(study, rater, f"stay ended: {outcome}")
    Rater.objects.filter(pk=rater.pk, paused_at=None).update(paused_at=now)
    record("stay ended", rater.name, actor=actor, about=rater.person, study=study.slug, new={"outcome": outcome})
    return True


def withdraw(rater: Rater, person: Person) -> WayBack | None:
    """End the stay of a person who leaves the study, before they are erased; return their way back."""
    with transaction.atomic():
        study = lock_study(rater.study_id, archived=True)
        stay = stay_of(study, person)
        if stay is None:
            return None
        end_stay(study, _locked_rater(study, stay), Outcome.WITHDRAWN, database_now(), actor=person)
        stay.refresh_from_db()
        return way_back(study, stay)


def end_overdue() -> int:
    """End some stays whose time is over, and return how many. Who has done all their tasks has completed the study.

    The time of people whom a pause keeps from working does not run. Those of studies that cannot be written now, for
    an import or a deletion, wait for it and keep nobody else waiting.
    """
    now, ended = database_now(), 0
    paused = awaits_decision(OuterRef("rater")) & Q(rater__paused_at__isnull=False)
    due = CrowdStay.objects.filter(~paused, ended_at=None, due_at__lt=now).order_by("due_at")
    due = due.filter(study__pending_import=None, study__being_erased=False, rater__import_pending=False)
    for stay in due.select_related("rater")[:AT_ONCE]:
        try:
            ended += _end_if_overdue(stay, now)
        except (ImportPendingError, RaterGoneError):
            continue
        except DatabaseError:
            logger.exception("The stay of rater %s could not be ended.", stay.rater_id)
    return ended


def _end_if_overdue(stay: CrowdStay, now: datetime) -> bool:
    with transaction.atomic():
        study = lock_study(stay.study_id, archived=True)
        rater = _locked_rater(study, stay)
        halt = way_of(study, rater, now).halt
        if halt is not None and not halt.over:  # they wait for a decision, or until they may try again
            later = max(now, halt.until or now) + PATIENCE
            CrowdStay.objects.filter(pk=stay.pk, ended_at=None).update(due_at=later)
            return False
        if is_awaited(rater) or _still_works(study, stay, rater, now):
            return False
        return end_stay(study, rater, outcome_now(study, rater) or Outcome.TIMED_OUT, now, actor=None)


def _still_works(study: Study, stay: CrowdStay, rater: Rater, now: datetime) -> bool:
    """Whether somebody of the public link has worked in its last minutes, whose stay then ends so much later."""
    link, worked = public_link_of(study), last_worked_at(rater)
    if link is None or stay.source != CrowdStay.Source.PUBLIC:
        return False
    minutes = link.body.get("minutes")
    if minutes is None:  # the link has no limit any more
        due = None
    elif worked is None or worked + timedelta(minutes=minutes) <= now:
        return False
    else:
        due = worked + timedelta(minutes=minutes)
    return bool(CrowdStay.objects.filter(pk=stay.pk, ended_at=None).update(due_at=due))


def _locked_rater(study: Study, stay: CrowdStay) -> Rater:
    rater = lock_rater(stay.rater_id, "person")
    rater.study = study
    return rater


def _end_with_own_code(stay: CrowdStay, outcome: str, now: datetime) -> None:
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                _write(stay, outcome, now, new_code(), is_own=True)
                return
        except IntegrityError:  # somebody else has this code
            continue
    raise RuntimeError("No free completion code was found.")


def new_code() -> str:
    """Return a random completion code of about 59 bits."""
    return "".join(secrets.choice(LETTERS) for _ in range(CODE_LETTERS))


def _write(stay: CrowdStay, outcome: str, now: datetime, code: str, *, is_own: bool) -> None:
    values: Mapping[str, object] = {"outcome": outcome, "ended_at": now, "code": code, "is_own_code": is_own}
    CrowdStay.objects.filter(pk=stay.pk, ended_at=None).update(**values)


def give_back_time(rater: Rater, now: datetime) -> None:
    """Move the end of a locked rater's stay by as long as they were paused; `rater.paused_at` still says since when."""
    due = CrowdStay.objects.filter(rater=rater, ended_at=None, due_at__isnull=False)
    if rater.paused_at is not None:
        due.update(due_at=F("due_at") + (now - rater.paused_at))
    due.filter(due_at__lt=now + PATIENCE).update(due_at=now + PATIENCE)


def has_ended(rater: Rater) -> bool:
    """Whether the rater came by a link and their stay has ended."""
    return CrowdStay.objects.filter(rater=rater, ended_at__isnull=False).exists()
