"""The section `mail` of a study file: after how many days without work a rater gets a reminder, and how many."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Question, Study
from annotation.protocols import Protocol
from annotation.studies.locking import lock_study

MAIL, REMIND, AT_MOST = "mail", "remind_after_days", "remind_at_most"
MOST_DAYS, MOST_REMINDERS = 90, 20
REMINDERS = 3
"""How many reminders a rater gets who does not work, if the study does not say."""


def why_no_mail(value: Any, protocol: Protocol, questions: Sequence[Question]) -> str | None:
    """What is wrong with a section, or None."""
    if not isinstance(value, Mapping) or REMIND not in value or not set(value) <= {REMIND, AT_MOST}:
        return f"must be a mapping with the key {REMIND} and, optionally, {AT_MOST}"
    if type(value[REMIND]) is not int or not 1 <= value[REMIND] <= MOST_DAYS:
        return f"{REMIND} must be a whole number from 1 to {MOST_DAYS}"
    most = value.get(AT_MOST, REMINDERS)
    if type(most) is not int or not 1 <= most <= MOST_REMINDERS:
        return f"{AT_MOST} must be a whole number from 1 to {MOST_REMINDERS}"
    return None


def declared_most(study: Study) -> int | None:
    """How many reminders in a row somebody gets who does nothing; None if the study does not say."""
    most: int | None = (study.options.get(MAIL) or {}).get(AT_MOST)
    return most


def most_reminders(study: Study) -> int:
    """The same, or what holds without a declaration."""
    return declared_most(study) or REMINDERS


def reminder_days(study: Study) -> int | None:
    """After how many days the study reminds; None if it does not."""
    section = study.options.get(MAIL)
    return section[REMIND] if section else None


def set_reminder_days(study: Study, days: int | None, actor: Person, most: int | None = None) -> bool:
    """Change the section; return whether it was different. Raises StudyArchivedError."""
    new = None if days is None else {REMIND: days, **({} if most is None else {AT_MOST: most})}
    with transaction.atomic():
        now = lock_study(study.pk)
        old = now.options.get(MAIL)
        if old == new:
            return False
        others = {key: value for key, value in now.options.items() if key != MAIL}
        now.options = others if new is None else {**others, MAIL: new}
        now.save(update_fields=["options"])
        record("reminders changed", study.slug, actor=actor, study=study.slug, old=old, new=new)
    study.options = now.options
    return True
