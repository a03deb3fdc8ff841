"""What messages add: threads with raters, links to them from tasks and lists of people, and notices of new ones."""

from collections.abc import Iterator
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from accounts.access import person_of
from accounts.models import Person
from annotation.desk.task_page import TaskLink
from annotation.fragments import Fragment
from annotation.members.data_download import task_name
from annotation.studies.notices import StudyNotice
from annotation.studies.queries import MyWork
from annotation.study_tabs import Tab
from config.part import Part
from parts.rater_messages.erasing import ERASING
from parts.rater_messages.models import RaterMessage
from parts.rater_messages.threads import unread_by_study, waiting_threads

CHUNK = 500
INBOX = "rater_messages:message_inbox"
UNREAD = "unread_messages"
"""Where a request keeps what its person has not opened: one query, however many studies the page lists."""


def if_unread(request: HttpRequest, work: MyWork) -> dict[str, Any] | None:
    """How many messages of a study are new to the person who asks."""
    if not hasattr(request, UNREAD):
        setattr(request, UNREAD, unread_by_study(person_of(request)))
    count = getattr(request, UNREAD).get(work.study.pk)
    return {"count": count} if count else None


class RaterMessagesPart(Part):
    urls = "parts.rater_messages.urls"
    annotators_pages = (
        "rater_messages:my_messages", "rater_messages:general_thread", "rater_messages:task_thread",
    )  # fmt: skip
    tabs = (
        Tab(170, "People", "Messages", INBOX, ("rater_messages:rater_thread", "rater_messages:rater_task_thread")),
    )  # fmt: skip
    task_links = (
        TaskLink(
            "ask", "rater_messages:task_thread", "\N{ENVELOPE}", gettext_lazy("Ask"),
            gettext_lazy("Ask about this task"),
        ),
    )  # fmt: skip
    fragments = {
        "work.notices": (Fragment("rater_messages/_work_notice.html", if_unread),),
        "work.links": (Fragment("rater_messages/_work_link.html"),),
        "standing.actions": (Fragment("rater_messages/_write_link.html"),),
        "people.rater": (Fragment("rater_messages/_rater_link.html"),),
    }
    notices = (
        StudyNotice(
            waiting_threads, INBOX, "{n} thread of messages waits for a reply",
            "{n} threads of messages wait for a reply",
        ),
    )  # fmt: skip
    erasing = ERASING

    def own_data(self, person: Person) -> list[tuple[str, Iterator[dict[str, Any]]]]:
        return [("messages", _messages(person))]


def _messages(person: Person) -> Iterator[dict[str, Any]]:
    """What the person and the researchers wrote to each other. No researcher's name."""
    messages = RaterMessage.objects.filter(thread__rater__person=person).select_related("thread__rater__study")
    for message in messages.order_by("pk").iterator(CHUNK):
        yield {
            "study": message.thread.rater.study.slug, "task": task_name(person.pk, message.thread.task_id),
            "from": "you" if message.from_rater else "researchers", "text": message.text, "at": message.at,
            "opened_at": message.seen_at,
        }  # fmt: skip


PART = RaterMessagesPart()
