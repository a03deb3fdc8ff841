"""A new password by mail: the page only queues what was typed, and the worker finds out whose it is.

So the page does the same, and takes as long, for names and addresses that are known and that are not.
"""

from datetime import timedelta

from django.core.mail import EmailMessage
from django.db import transaction

from accounts.models import Person, SignInLink
from accounts.sign_in_limits import count_request
from accounts.sign_in_links import PASSWORD, issue_password_link
from config.background.kinds import GiveUpError, works
from config.background.waking import enqueue
from config.database_clock import database_now
from config.folded_text import folded
from config.site_address import site_address
from parts.mail.mail_texts import mail_of_account
from parts.mail.models import MailAddress, MailKind, OutgoingMail
from parts.mail.own_address import WORK_KEY

HOURS = 1
"""How long a link works."""
MOST_PER_HOUR = 5
"""Links that one person gets per hour, from wherever somebody asks for them."""
MOST_ACCOUNTS = 5
"""Accounts with the same address that one mail names."""
NOBODY = "Nobody with a confirmed address could be sent a link."


def ask_for_password(typed: str, address: str) -> None:
    """Queue a mail to the person with this user name or mail address, if there is one. Raises TooManyTriesError."""
    count_request("password", typed, address)
    with transaction.atomic():
        enqueue(works()[WORK_KEY], OutgoingMail.objects.create(kind=MailKind.PASSWORD, address=typed))


def password_mail(row: OutgoingMail) -> EmailMessage:
    """The mail with a new link for each account that was meant. Raises GiveUpError if there is none."""
    typed = folded(row.address)
    # A user name may look like somebody else's address: the person who has confirmed the address is meant.
    found = _reached(address_folded=typed) or _reached(person__username_folded=typed)
    people = [one.person for one in found if _may_have_link(one.person)]
    if not people:
        raise GiveUpError(NOBODY, address="")
    to = found[0].address
    links = [(person.username, site_address() + issue_password_link(person, HOURS)) for person in people]
    return mail_of_account(row, to, people[0], links, HOURS)


def _reached(**meant: str) -> list[MailAddress]:
    """The confirmed addresses of people who may sign in, the oldest first: a few, which differ at most in case."""
    theirs = MailAddress.objects.filter(person__is_active=True, person__is_synthetic=False, **meant)
    return list(theirs.exclude(address="").order_by("pk").select_related("person")[:MOST_ACCOUNTS])


def _may_have_link(person: Person) -> bool:
    hour = database_now() - timedelta(hours=1)
    made = SignInLink.objects.filter(person=person, purpose=PASSWORD, created_at__gt=hour)
    return made.count() < MOST_PER_HOUR
