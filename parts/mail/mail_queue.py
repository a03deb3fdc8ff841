"""Queue mails: invitations by a press, reminders by a press or a rule, and news of batches and notes."""

import secrets
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils.crypto import salted_hmac

from accounts.auditing import record
from accounts.models import Person
from accounts.secret_tokens import token_hash
from annotation.desk.assigning import open_slots
from annotation.members.invitations import invite
from annotation.members.last_work import last_worked_at
from annotation.members.membership import rater_for
from annotation.models import Batch, FlagAnswer, Invitation, Membership, Rater, Slot, SpotCheck, Study
from annotation.models.people import Role
from annotation.studies.locking import lock_study
from config.background.kinds import works
from config.background.waking import enqueue
from config.database_clock import database_now
from config.parts import parts_of
from parts.mail.mail_links import address_digest
from parts.mail.models import MailKind, OutgoingMail, RefusedAddress
from parts.mail.own_address import DAY, WORK_KEY
from parts.mail.reminder_section import most_reminders
from parts.rater_messages.models import RaterMessage

MOST_INVITATIONS = 200
"""Invitations per study and day."""
SETTLES = timedelta(minutes=15)
"""A note is told this long after it was written, so that several come in one mail, and none that was read at once."""
NEWS = timedelta(days=2)
"""What is older is no news: it is not told when somebody sets an address."""
MOST_REMINDED = 500
"""Raters that one look for idle ones asks about; a reminder takes them out of the next."""
BY_MAIL = "by e-mail"
OF_DRY_RUN = "A dry run sends no mails."


class InvitationsRefusedError(Exception):
    """The limit per day is reached, or the study is a dry run; the message says so."""


def invite_by_mail(study: Study, addresses: Iterable[str], actor: Person, days: int) -> int:
    """Queue an invitation to annotate for each address; those that refused are left out, and nobody is told which.

    Raises InvitationsRefusedError and StudyArchivedError.
    """
    if study.is_dry_run:
        raise InvitationsRefusedError(OF_DRY_RUN)
    wanted = list(dict.fromkeys(addresses))
    with transaction.atomic():
        lock_study(study.pk)
        today = OutgoingMail.objects.filter(
            study=study, kind=MailKind.INVITATION, created_at__gt=database_now() - DAY
        ).count()
        if today + len(wanted) > MOST_INVITATIONS:
            raise InvitationsRefusedError(f"No more than {MOST_INVITATIONS} invitations can be sent per day.")
        digests = {address_digest(address): address for address in wanted}
        refused = set(RefusedAddress.objects.filter(digest__in=digests).values_list("digest", flat=True))
        for digest, address in digests.items():
            if digest not in refused:
                _queue_invitation(study, address, actor, days)
    return len(wanted)


def _queue_invitation(study: Study, address: str, actor: Person, days: int) -> None:
    salt = secrets.token_hex(16)
    invite(study, Role.ANNOTATOR, actor, days=days, note=BY_MAIL, tokens=[invitation_token(salt)])
    made = Invitation.objects.get(token_hash=token_hash(invitation_token(salt)))
    row = OutgoingMail.objects.create(
        kind=MailKind.INVITATION, study=study, invitation_pk=made.pk, address=address, salt=salt
    )
    enqueue(works()[WORK_KEY], row)


def invitation_token(salt: str) -> str:
    """The secret of an invitation sent by mail: made from the site's key, so that no copy of the database has it."""
    return salted_hmac("parts.mail.invitation", salt, algorithm="sha256").hexdigest()


def reachable(study: Study, kind: MailKind) -> QuerySet[Rater]:
    """The raters who annotate in a study now and want mails of this kind; none in a dry run."""
    if study.is_dry_run:
        return Rater.objects.none()
    members = Membership.objects.filter(study=study, person=OuterRef("person"), active=True, role=Role.ANNOTATOR)
    wants = {f"person__mail_address__wants_{kind}": True}
    found = Rater.objects.filter(Exists(members), study=study, person__is_active=True, **wants)
    return found.exclude(person__mail_address__address="").select_related("person")


def idle_raters(study: Study, days: float) -> list[Rater]:
    """The reachable raters who could work and have not for `days`, nor got a reminder in that time or too many before.

    They have open tasks, or a step before their first task that they can take; some joined and have not begun.
    """
    since = database_now() - timedelta(days=days)
    joined = _joined_before(study, since)
    sent = OutgoingMail.objects.filter(study=study, kind=MailKind.REMINDER, person=OuterRef("person"))
    found = reachable(study, MailKind.REMINDER).filter(~Exists(sent.filter(created_at__gt=since)), paused_at=None)
    found = found.filter(person__in=joined.values("person")).annotate(last=Max("annotations__submitted_at"))
    idle = list(found.filter(Q(last=None) | Q(last__lt=since)).order_by("pk")[:MOST_REMINDED])
    times = defaultdict(list)
    for person, at in sent_reminders(study, [rater.person_id for rater in idle]):
        times[person].append(at)
    most = most_reminders(study)
    return [rater for rater in idle if _is_missed(study, rater, since, times[rater.person_id], most)]


def _joined_before(study: Study, since: datetime) -> QuerySet[Membership]:
    """The memberships of annotators who joined before and want reminders."""
    return Membership.objects.filter(
        study=study, active=True, role=Role.ANNOTATOR, created_at__lt=since, person__mail_address__wants_reminder=True
    ).exclude(person__mail_address__address="")


def newcomers(study: Study, days: float) -> list[Person]:
    """People who joined so long ago, want reminders, and have never opened a page of the study."""
    started = Rater.objects.filter(study=study, person=OuterRef("person"))
    joined = _joined_before(study, database_now() - timedelta(days=days)).filter(~Exists(started))
    return [one.person for one in joined.select_related("person").order_by("pk")[:MOST_REMINDED]]


def remind_idle(study: Study, days: float, actor: Person | None) -> int:
    """Queue a reminder for each idle rater and newcomer; return how many are new."""
    for person in newcomers(study, days):
        rater_for(study, person)
    return remind(study, idle_raters(study, days), actor)


def sent_reminders(study: Study, people: list[int | None]) -> list[tuple[int | None, datetime]]:
    """Who of these got a reminder when."""
    sent = OutgoingMail.objects.filter(study=study, kind=MailKind.REMINDER, person__in=people)
    return list(sent.values_list("person", "created_at"))


def _is_missed(study: Study, rater: Rater, since: datetime, reminded: list[datetime], most: int) -> bool:
    """Whether somebody who has not answered for a while has something to do, and was not reminded too often."""
    rater.study = study
    worked = last_worked_at(rater) if reminded or not rater.admitted else None
    if worked is not None and worked >= since:
        return False
    if sum(worked is None or at > worked for at in reminded) >= most or not study.is_live:
        return False
    if rater.admitted:
        return _has_tasks(study, rater)
    steps = parts_of(study).steps
    return steps is not None and steps.has_step(rater)


def _has_tasks(study: Study, rater: Rater) -> bool:
    held = Slot.objects.filter(holder=rater, state=Slot.State.HELD).exists()
    return held or open_slots(study, rater).exists()


def remind(study: Study, raters: Iterable[Rater], actor: Person | None) -> int:
    """Queue a reminder for each of these raters, at most one per day; return how many are new."""
    day = database_now().date().isoformat()
    made = _tell_once([(f"reminder {rater.pk} {day}", rater, MailKind.REMINDER) for rater in raters], study)
    if made and actor is not None:
        record("reminders sent", study.slug, actor=actor, study=study.slug, new={"raters": made})
    return made


def tell_batches(study: Study, now: datetime) -> int:
    """Queue news of the batches that were released in the last day; once per rater and batch."""
    new = Batch.objects.filter(study=study, released_at__gt=now - DAY).order_by("pk")
    numbers = list(new.values_list("pk", flat=True))
    if not numbers:
        return 0
    raters = reachable(study, MailKind.BATCH).filter(paused_at=None)
    told = [(f"batch {pk} {rater.pk}", rater, MailKind.BATCH) for rater in raters for pk in numbers[-1:]]
    return _tell_once(told, study)


def tell_notes(study: Study, now: datetime) -> int:
    """Queue news of notes, messages and answers to flags that raters have not read; once per rater and day."""
    age = {"at__gt": now - NEWS, "at__lt": now - SETTLES, "seen_at": None}
    notes = SpotCheck.objects.filter(annotation__rater=OuterRef("pk"), **age).exclude(note="")
    letters = RaterMessage.objects.filter(thread__rater=OuterRef("pk"), from_rater=False, **age)
    flags = FlagAnswer.objects.filter(rater=OuterRef("pk"), **age)
    raters = reachable(study, MailKind.NOTES).filter(Q(Exists(notes)) | Q(Exists(letters)) | Q(Exists(flags)))
    day = now.date().isoformat()
    return _tell_once([(f"notes {rater.pk} {day}", rater, MailKind.NOTES) for rater in raters], study)


def _tell_once(told: list[tuple[str, Rater, MailKind]], study: Study) -> int:
    """Queue mails that tell what no mail has told yet; safe in several workers, because an occasion is unique."""
    with transaction.atomic():
        known = set(
            OutgoingMail.objects.filter(occasion__in=[one[0] for one in told]).values_list("occasion", flat=True)
        )
        rows = [
            OutgoingMail(kind=kind, study=study, person=rater.person, occasion=occasion)
            for occasion, rater, kind in told if occasion not in known
        ]  # fmt: skip
        OutgoingMail.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)
