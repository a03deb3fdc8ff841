"""The section `mail` of a study file: after how many days without an answer a rater gets a reminder."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Question, Study
from annotation.protocols import Protocol
from annotation.studies.locking import lock_study

MAIL, REMIND = "mail", "remind_after_days"
MOST_DAYS = 90


def why_no_mail(value: Any, protocol: Protocol, questions: Sequence[Question]) -> str | None:
    """What is wrong with a section, or None."""
    if not isinstance(value, Mapping) or set(value) != {REMIND}:
        return f"must be a mapping with the key {REMIND}"
    if type(value[REMIND]) is not int or not 1 <= value[REMIND] <= MOST_DAYS:
        return f"{REMIND} must be a whole number from 1 to {MOST_DAYS}"
    return None


def reminder_days(study: Study) -> int | None:
    """After how many days the study reminds; None if it does not."""
    section = study.options.get(MAIL)
    return section[REMIND] if section else None


def set_reminder_days(study: Study, days: int | None, actor: Person) -> bool:
    """Change the section; return whether it was different. Raises StudyArchivedError."""
    with transaction.atomic():
        now = lock_study(study.pk)
        old = reminder_days(now)
        if old == days:
            return False
        others = {key: value for key, value in now.options.items() if key != MAIL}
        now.options = others if days is None else {**others, MAIL: {REMIND: days}}
        now.save(update_fields=["options"])
        record("reminders changed", study.slug, actor=actor, study=study.slug, old=old, new=days)
    study.options = now.options
    return True
