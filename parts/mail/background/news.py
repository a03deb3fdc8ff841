"""Upkeep: queues reminders that studies declare and news of batches and notes, and deletes old rows of mails."""

import logging
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Q

from annotation.models import Rater, Study
from config.background.kinds import Sweep
from config.background.rows import WAITING
from config.database_clock import database_now
from parts.mail.mail_queue import remind_idle, tell_batches, tell_notes
from parts.mail.models import MailAddress, MailKind, OutgoingMail
from parts.mail.reminder_section import reminder_days

logger = logging.getLogger(__name__)
KEPT = timedelta(days=30)
COUNTED = timedelta(days=400)
"""Reminders are kept for so long, so that nobody gets more of them than the study says."""
AT_ONCE = 1000


def look_for_news() -> None:
    """Queue what is new in each study in which somebody can be reached."""
    if not settings.SENDS_MAIL or not MailAddress.objects.exclude(address="").exists():
        return
    now = database_now()
    raters = Rater.objects.filter(person__mail_address__confirmed_at__isnull=False)
    reached = Study.objects.filter(pk__in=raters.values("study"), archived_at=None)
    for study in reached.exclude(status=Study.Status.DRAFT).order_by("pk"):
        try:
            tell_notes(study, now)
            if study.is_live:
                tell_batches(study, now)
                days = reminder_days(study)
                if days is not None:
                    remind_idle(study, days, None)
        except DatabaseError:  # the next run tries again, and the others are not kept waiting
            logger.exception("Mails of study %s could not be queued.", study.pk)


def forget_old() -> int:
    """Delete some rows of mails that ended a month ago, of reminders later, and return how many."""
    now = database_now()
    counted = Q(kind=MailKind.REMINDER, created_at__gt=now - COUNTED)
    over = OutgoingMail.objects.filter(~counted, created_at__lt=now - KEPT).exclude(status__in=WAITING)
    old = list(over.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    if old:
        OutgoingMail.objects.filter(pk__in=old).delete()
    return len(old)


def look_after_mail() -> None:
    """Both of them."""
    look_for_news()
    forget_old()


SWEEP = Sweep("mail_news", look_after_mail, 300)
