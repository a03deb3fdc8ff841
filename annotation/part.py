"""What annotation adds: the pace of studies, its erasing, replies to exclusions, sign-in links, warm-up of the desk."""

import uuid

from accounts.browser_sessions import SessionStore
from accounts.models import Person, SignInLink
from annotation.desk.highlighting import stemmers
from annotation.desk.statements import desk_row, plan_statements, task_row
from annotation.erasing import ERASING
from annotation.members.member_links import is_backed
from annotation.members.standing import replied_exclusions
from annotation.studies.file_sections import StudySection, by_model
from annotation.studies.notices import StudyNotice
from annotation.studies.pace_plan import PACE, StatedPace
from annotation.studies.queries import ANYBODY, work_of
from config.part import Part


class AnnotationPart(Part):
    sections = (StudySection(PACE, by_model(StatedPace)),)
    erasing = ERASING
    notices = (
        StudyNotice(
            replied_exclusions, "reports:rater_checks", "{n} excluded rater has answered",
            "{n} excluded raters have answered",
        ),
    )  # fmt: skip

    def is_backed(self, link: SignInLink) -> bool:
        return is_backed(link)

    def preload(self) -> None:
        stemmers()

    def warm_up_thread(self) -> None:
        """Open the thread's connection, and have its database plan the statements of the home page and of the desk.

        PostgreSQL plans them once per connection, which takes longer than to run them. Reads only, and finds nothing.
        """
        SessionStore("nobody").load()
        work_of(Person(pk=ANYBODY))
        desk_row(0, uuid.UUID(int=0))
        task_row(0, uuid.UUID(int=0))
        plan_statements()


PART = AnnotationPart()
