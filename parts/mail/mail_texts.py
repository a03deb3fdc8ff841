"""What mails say: plain text without answers, systems' names or names of people.

A mail to a person is in the language that they have chosen, otherwise in English, and so is an invitation.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from accounts.languages import ENGLISH, LANGUAGES
from accounts.models import Person
from accounts.preferences import preferences_of
from annotation.models import Rater
from config.site_address import site_address
from parts.mail.mail_links import stop_link
from parts.mail.models import MailKind, OutgoingMail

SUBJECTS: Mapping[str, str] = {
    MailKind.INVITATION: "Invitation to rate texts: %(title)s",
    MailKind.CONFIRMATION: gettext_noop("Confirm your e-mail address"),
    MailKind.REMINDER: gettext_noop("Tasks wait for you: %(title)s"),
    MailKind.BATCH: gettext_noop("New tasks: %(title)s"),
    MailKind.PASSWORD: gettext_noop("A new password"),
    MailKind.NOTES: gettext_noop("The researchers have written to you: %(title)s"),
}
LONGEST_TITLE = 100


def mail_of(
    row: OutgoingMail, address: str, link: str, address_row: int | None, expires: datetime | None = None
) -> EmailMessage:
    """The mail of a row to `address`. `link` is what it asks to open; without a person's row it stops invitations."""
    title = " ".join((row.study.title or row.study.slug).split()) if row.study else ""
    stop = stop_link(row.kind, address_row, address)
    context: dict[str, Any] = {"title": title, "link": link, "stop": stop, "site": site_address(),
                               "expires": expires, "is_on_the_way": _is_on_the_way(row)}  # fmt: skip
    subject = SUBJECTS[row.kind]
    with translation.override(_language(row.person)):
        subject = gettext(subject) % {"title": title[:LONGEST_TITLE]}
        body = render_to_string(f"mail/{row.kind}.txt", context)
    return EmailMessage(
        subject=subject,
        body=body,
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[address],
        headers={
            "Message-ID": f"<{row.message_id}@{_domain()}>",
            "Auto-Submitted": "auto-generated",
            "List-Unsubscribe": f"<{stop}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        },
    )


def _is_on_the_way(row: OutgoingMail) -> bool:
    """Whether the reader of a reminder has steps left before their first task."""
    mine = Rater.objects.filter(study=row.study, person=row.person, admitted=False)
    return row.kind == MailKind.REMINDER and mine.exists()


def mail_of_account(
    row: OutgoingMail, address: str, reader: Person, links: Sequence[tuple[str, str]], hours: int
) -> EmailMessage:
    """A mail that nobody can stop, because it is sent only when asked for: user names, and a link for each.

    It is in the language of `reader`: the row names nobody.
    """
    context, subject = {"links": links, "site": site_address(), "hours": hours}, SUBJECTS[row.kind]
    with translation.override(_language(reader)):
        subject, body = gettext(subject), render_to_string(f"mail/{row.kind}.txt", context)
    return EmailMessage(
        subject=subject,
        body=body,
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[address],
        headers={"Message-ID": f"<{row.message_id}@{_domain()}>", "Auto-Submitted": "auto-generated"},
    )


def _language(person: Person | None) -> str:
    chosen = preferences_of(person).language if person else ""
    return chosen if chosen in LANGUAGES else ENGLISH


def home_link() -> str:
    """The address of the page with a person's studies."""
    return site_address() + reverse("annotation:home")


def _domain() -> str:
    return settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].strip("> ")
