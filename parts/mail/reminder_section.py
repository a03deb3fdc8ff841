"""The section `mail` of a study file: after how many days without work a rater gets a reminder, and how many."""

from typing import Annotated

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from annotation.studies.locking import lock_study
from config.strict_models import SettingsModel, whole

MAIL, REMIND, AT_MOST = "mail", "remind_after_days", "remind_at_most"
MOST_DAYS, MOST_REMINDERS = 90, 20
REMINDERS = 3
"""How many reminders a rater gets who does not work, if the study does not say."""


class ReminderSettings(SettingsModel):
    """When raters are reminded: after so many days without work, and so many times in a row."""

    remind_after_days: Annotated[int, whole(1, MOST_DAYS)]
    remind_at_most: Annotated[int, whole(1, MOST_REMINDERS)] = REMINDERS


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
