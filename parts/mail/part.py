"""What mail adds: its pages, links to them, the section `mail` of a study, and people's addresses."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from accounts.models import Person
from annotation.fragments import Fragment
from annotation.models import Study
from annotation.studies.file_sections import StudySection, by_model
from annotation.study_tabs import Tab
from config.folded_text import folded
from config.part import Part
from parts.mail.erasing import ERASING
from parts.mail.models import MailAddress, OutgoingMail
from parts.mail.reminder_section import MAIL, ReminderSettings

CHUNK = 500
Rows = Iterator[dict[str, Any]]


def sends_mail(study: Study) -> bool:
    return bool(settings.SENDS_MAIL)


def if_mail_is_sent(request: HttpRequest) -> Mapping[str, Any] | None:
    """What a link to these pages shows: nothing if this site sends no mail."""
    return {} if settings.SENDS_MAIL else None


class MailPart(Part):
    needs = ("rater_messages",)
    sections = (StudySection(MAIL, by_model(ReminderSettings)),)
    urls = "parts.mail.urls"
    annotators_pages = (
        "mail:my_mail", "mail:my_mail_choices", "mail:confirm_address", "mail:stop_mail", "mail:forgotten_password",
    )  # fmt: skip
    tabs = (Tab(190, "People", "E-mail", "mail:study_mail", (), sends_mail),)
    fragments = {
        "accounts.preferences": (Fragment("mail/_settings_link.html", if_mail_is_sent),),
        "accounts.sign_in": (Fragment("mail/_lost_password.html", if_mail_is_sent),),
    }
    erasing = ERASING

    def own_data(self, person: Person) -> list[tuple[str, Rows]]:
        return [("e_mail", _address(person)), ("mails", _mails(person))]

    def identities(self, study: Study, people: Collection[int]) -> Mapping[str, Mapping[int, str]]:
        return {"E-mail": dict(MailAddress.objects.filter(person__in=people).values_list("person", "address"))}

    def people_with(self, address: str) -> Iterable[int]:
        return MailAddress.objects.filter(address_folded=folded(address)).values_list("person", flat=True)


def _address(person: Person) -> Rows:
    for row in MailAddress.objects.filter(person=person):
        yield {
            "address": row.address, "not_confirmed": row.pending, "confirmed_at": row.confirmed_at,
            "reminders": row.wants_reminder, "new_tasks": row.wants_batch, "notes": row.wants_notes,
        }  # fmt: skip


def _mails(person: Person) -> Rows:
    mails = OutgoingMail.objects.filter(person=person).select_related("study").order_by("pk")
    for mail in mails.iterator(CHUNK):
        yield {"kind": mail.kind, "study": mail.study.slug if mail.study else None, "sent_at": mail.sent_at}


PART = MailPart()
