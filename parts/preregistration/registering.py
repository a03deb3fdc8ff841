"""Registers plans: the only writer of preregistrations."""

import hashlib
from typing import Any

from django.db import IntegrityError, transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.erasing import all_erasing
from annotation.models import Study
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.locking import lock_study
from config.background.claiming import Claim
from config.background.kinds import works
from config.background.waking import enqueue
from config.database_clock import database_now
from config.model_fields import canonical_json
from config.software_version import SOFTWARE_VERSION
from config.text_validation import time_text
from parts.preregistration.models import Preregistration
from parts.preregistration.registered_plans import PLAN_SCHEMA

WORK_KEY = "plan"
TOO_LATE = "The study has answers already. A plan can only be registered before the first one."
BUSY = "A plan is being registered. Wait until it is done."


def has_answers(study: Study) -> bool:
    """Whether people or machines have answered anything, or an import has brought answers."""
    return any(part.has_answers(study) for part in all_erasing())


def register_plan(study: Study, chosen: dict[str, Any], person: Person | None) -> Preregistration:
    """Queue the registration of what the person chose. Raises StudyRefusedError after the first answer."""
    try:
        with transaction.atomic():
            now = lock_study(study.pk)
            if has_answers(now):
                raise StudyRefusedError(TOO_LATE)
            last = Preregistration.objects.filter(study=now).order_by("-number").first()
            row = Preregistration.objects.create(
                study=now, number=last.number + 1 if last else 1, by=person, chosen=chosen
            )
            enqueue(works()[WORK_KEY], row)
            return row
    except IntegrityError:
        raise StudyRefusedError(BUSY) from None


def complete_plan(claim: Claim, facts: dict[str, Any]) -> None:
    """Date, hash and store the plan; from then on the database refuses to change it.

    Raises StudyRefusedError if somebody has answered meanwhile, ClaimLostError and ImportPendingError.
    """
    row: Preregistration = claim.row
    with transaction.atomic():
        study = lock_study(row.study_id)
        if has_answers(study):
            raise StudyRefusedError(TOO_LATE)
        moment = database_now()
        body = canonical_json({
            "schema": PLAN_SCHEMA, "study": study.slug, "title": study.title, "number": row.number,
            "registered_at": time_text(moment), "software": SOFTWARE_VERSION, **facts, **row.chosen,
        })  # fmt: skip
        sha256 = hashlib.sha256(body.encode()).hexdigest()
        with claim.finish(body=body, sha256=sha256, registered_at=moment):
            new = {"number": row.number, "sha256": sha256}
            record("plan registered", f"plan {row.number}", actor=row.by, study=study.slug, new=new)
