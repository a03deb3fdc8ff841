"""Send the mail of a claimed row, outside any transaction.

A worker that is killed after the mail server took the mail and before it says so sends it once more, with the same
Message-ID. A row that was claimed twice like this is not sent a third time.
"""

import smtplib
from datetime import timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.urls import reverse

from accounts.secret_tokens import token_hash
from annotation.models import Invitation, Membership, Study
from annotation.models.people import Role
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from config.database_clock import database_now
from config.site_address import site_address
from parts.mail.mail_links import address_digest, confirm_link
from parts.mail.mail_queue import invitation_token
from parts.mail.mail_texts import home_link, mail_of
from parts.mail.models import MailAddress, MailKind, OutgoingMail, RefusedAddress
from parts.mail.own_address import WORK_KEY
from parts.mail.password_mail import password_mail

WAITS = (60, 300, 1800, 3600, 3 * 3600, 6 * 3600)
"""Seconds between tries; the last one repeats."""
LONGEST = timedelta(days=1)
NO_MAIL = "This site sends no mail: EMAIL_URL is not set."
NOT_WANTED = "The person has no confirmed address, or does not want this kind of mail."
NOT_A_MEMBER = "The person is not an annotator of the study any more."
NOT_LIVE = "The study gives out no tasks now."
INVITATION_DEAD = "The invitation was revoked, used or has expired."
KEY_CHANGED = "The site's secret key has changed. Invite the person again."
REFUSED = "The owner of the address wants no mail from this site."
REFUSED_BY_SERVER = "The mail server refused the mail ({})."
NOT_REACHED = "The mail server could not be reached, or did not take the mail."


def send_mail(claim: Claim) -> None:
    """Send the mail of a claimed row, or give it up with a reason."""
    row: OutgoingMail = OutgoingMail.objects.select_related("study", "person").get(pk=claim.row.pk)
    if not settings.SENDS_MAIL:
        raise GiveUpError(NO_MAIL, address="")
    message = _message(row)
    try:
        message.send()
    except smtplib.SMTPRecipientsRefused as problem:
        _refused([code for code, _ in problem.recipients.values()], row)
    except smtplib.SMTPResponseException as problem:
        _refused([problem.smtp_code], row)
    except (smtplib.SMTPException, OSError):
        _try_later(row)
    with claim.finish(tries=row.tries + 1, sent_at=database_now(), address=""):
        return


def forget_address(row: OutgoingMail) -> None:
    """Empty the address of a row that ended without being sent."""
    OutgoingMail.objects.filter(pk=row.pk).exclude(address="").update(address="")


def _refused(codes: list[int], row: OutgoingMail) -> None:
    """Raise the error for a server's refusal: codes below 500 are for now, the others for good."""
    if all(code < 500 for code in codes):
        _try_later(row)
    raise GiveUpError(REFUSED_BY_SERVER.format(", ".join(str(code) for code in codes)), tries=row.tries + 1, address="")


def _try_later(row: OutgoingMail) -> None:
    left = (row.created_at + LONGEST - database_now()).total_seconds()
    if left <= 0:
        raise GiveUpError(NOT_REACHED, tries=row.tries + 1, address="")
    wait = WAITS[min(row.tries, len(WAITS) - 1)]
    raise TryLaterError(NOT_REACHED, min(wait, left), counts=False, tries=row.tries + 1)


def _message(row: OutgoingMail) -> EmailMessage:
    """The mail of a row as it is sent now. Raises GiveUpError if nobody is to get it any more."""
    if row.kind == MailKind.INVITATION:
        return _invitation(row)
    if row.kind == MailKind.PASSWORD:
        return password_mail(row)
    found = MailAddress.objects.filter(person=row.person, person__is_active=True).first()
    if row.kind == MailKind.CONFIRMATION:
        if found is None or not found.pending:
            raise GiveUpError(NOT_WANTED)
        return mail_of(row, found.pending, confirm_link(found.pk, found.pending), None)
    if found is None or not found.address or not getattr(found, f"wants_{row.kind}"):
        raise GiveUpError(NOT_WANTED)
    _check_study(row)
    return mail_of(row, found.address, home_link(), found.pk)


def _check_study(row: OutgoingMail) -> None:
    members = Membership.objects.filter(study=row.study, person=row.person, active=True, role=Role.ANNOTATOR)
    if not members.filter(study__archived_at=None).exists():
        raise GiveUpError(NOT_A_MEMBER)
    if row.kind != MailKind.NOTES and not members.filter(study__status=Study.Status.LIVE).exists():
        raise GiveUpError(NOT_LIVE)


def _invitation(row: OutgoingMail) -> EmailMessage:
    """The mail of an invitation. Raises GiveUpError if the invitation does not work any more."""
    found = Invitation.objects.filter(pk=row.invitation_pk or 0).first()
    token = invitation_token(row.salt)
    if found is None or found.accepted_at or found.revoked_at or found.expires_at <= database_now():
        raise GiveUpError(INVITATION_DEAD, address="")
    if found.token_hash != token_hash(token):
        raise GiveUpError(KEY_CHANGED, address="")
    if RefusedAddress.objects.filter(digest=address_digest(row.address)).exists():
        raise GiveUpError(REFUSED, address="")
    link = site_address() + reverse("annotation:invitation", args=[token])
    return mail_of(row, row.address, link, None, found.expires_at)


WORK = Work(
    WORK_KEY, OutgoingMail, send_mail, "calls", lease=timedelta(minutes=3), attempts=2, ended=forget_address,
    patient=True,
)  # fmt: skip
"""Only killed workers use up attempts."""
