"""Fixes the stop rules of a study when it first goes live: the only writer of plans and of decisions to continue."""

import hashlib

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.erasing import all_erasing
from annotation.models import Study
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.lifecycle import make_live
from annotation.studies.locking import lock_study
from config.background.rows import Status
from config.database_clock import database_now
from config.model_fields import canonical_json
from parts.stopping.models import StopContinuation, StopLook, StopPlan
from parts.stopping.plan_spec import STOPPING

STOPPED = 'A stop rule has ended this study. To go on, give a reason on its page "Stop rules".'
NOT_STOPPED = "No stop rule has ended this study."
REASON_MISSING = "Give a reason for going on."
LONGEST_REASON = 2000
ENDING = (StopLook.Decision.STOP, StopLook.Decision.END)


def fix_plan(study: Study, actor: Person | None) -> None:
    """Keep the rules of a study that goes live, once. Called in that transaction with the study locked.

    Raises StudyRefusedError if the rules have stopped the study and nobody has given a reason to go on.
    """
    given = study.options.get(STOPPING)
    if given is None:
        return
    plan = StopPlan.objects.filter(study=study).first()
    if plan is not None:
        look = ending_look(plan)
        if look is not None and not StopContinuation.objects.filter(look=look).exists():
            raise StudyRefusedError(STOPPED)
        return
    body = canonical_json(given)
    in_time = not any(part.has_answers(study) for part in all_erasing())
    made = StopPlan.objects.create(
        study=study, body=body, sha256=hashlib.sha256(body.encode()).hexdigest(), fixed_at=database_now(),
        in_time=in_time,
    )  # fmt: skip
    new = {"sha256": made.sha256, "in_time": in_time}
    record("stop rules fixed", study.slug, actor=actor, study=study.slug, new=new)


def ending_look(plan: StopPlan) -> StopLook | None:
    """The look that ended the plan, or None while looks are to come."""
    return StopLook.objects.filter(plan=plan, status=Status.DONE, decision__in=ENDING).first()


def continue_study(study: Study, reason: str, actor: Person | None) -> None:
    """Let a study that its rules have stopped go on, for a reason that is kept. Raises StudyRefusedError."""
    given = reason.strip()[:LONGEST_REASON]
    if not given:
        raise StudyRefusedError(REASON_MISSING)
    with transaction.atomic():
        now = lock_study(study.pk)
        plan = StopPlan.objects.filter(study=now).first()
        look = ending_look(plan) if plan else None
        if look is None or StopContinuation.objects.filter(look=look).exists():
            raise StudyRefusedError(NOT_STOPPED)
        StopContinuation.objects.create(look=look, by=actor, at=database_now(), reason=given)
        record(
            "stop rule overridden", f"look {look.number}", actor=actor, study=now.slug, new={"reason": given}
        )  # fmt: skip
        if now.status == Study.Status.PAUSED:
            make_live(now, actor)
    study.refresh_from_db(fields=["status"])
