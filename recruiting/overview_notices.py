"""What recruiting shows on a study's overview."""

from typing import Any

from django.db.models import OuterRef

from annotation.members.standing import replied_exclusions
from annotation.models import Study
from annotation.studies.counting import CountOf
from annotation.studies.notices import StudyNotice
from recruiting.rater_messages.thread_lists import waiting_threads

PAGE, INBOX = "reports:rater_checks", "recruiting:message_inbox"
SENTENCES = {
    "replied": ("excluded rater has answered", "excluded raters have answered", PAGE),
    "waiting": ("thread of messages waits for a reply", "threads of messages wait for a reply", INBOX),
}
"""What is counted: the words after 1 and after other numbers, and where it can be seen."""


def people_notices(study: Study) -> list[StudyNotice]:
    """Replies of excluded raters, and threads that wait for a reply."""
    counts: dict[str, int] = {} if study.status == Study.Status.DRAFT else _counts(study)  # nobody has answered a draft
    return [
        StudyNotice(f"{count} {one if count == 1 else many}", route)
        for name, (one, many, route) in SENTENCES.items()
        if (count := counts.get(name, 0))
    ]


def _counts(study: Study) -> dict[str, int]:
    """All of them in one query."""
    this = OuterRef("pk")
    counted = {
        "replied": replied_exclusions(this),
        "waiting": waiting_threads(this),
    }
    counts = {name: CountOf(rows.order_by().values("pk")) for name, rows in counted.items()}
    row: Any = Study.objects.filter(pk=study.pk).values(**counts).get()
    return dict(row)
