"""What recruiting shows on a study's overview."""

from annotation.models import Study
from annotation.studies.notices import StudyNotice
from recruiting.checks.excluding import open_notices, unread_replies
from recruiting.rater_messages.thread_lists import waiting_threads

PAGE, INBOX = "reports:rater_checks", "recruiting:message_inbox"


def check_notices(study: Study) -> list[StudyNotice]:
    """Raters whom a rule has paused or asks about, and answers of excluded raters to which nobody has responded."""
    if study.status == Study.Status.DRAFT:  # nobody has answered yet
        return []
    found, replied = list(open_notices(study).values_list("paused", flat=True)), unread_replies(study)
    paused, asked = sum(found), len(found) - sum(found)
    sentences = [
        (paused, "rater was paused by a rule", "raters were paused by a rule"),
        (asked, "rater to look at, by a rule", "raters to look at, by a rule"),
        (replied, "excluded rater has answered", "excluded raters have answered"),
    ]
    return [StudyNotice(f"{count} {one if count == 1 else many}", PAGE) for count, one, many in sentences if count]


def message_notices(study: Study) -> list[StudyNotice]:
    """Threads in which a rater waits for a reply."""
    waiting = 0 if study.status == Study.Status.DRAFT else waiting_threads(study)
    if not waiting:
        return []
    words = "thread of messages waits" if waiting == 1 else "threads of messages wait"
    return [StudyNotice(f"{waiting} {words} for a reply", INBOX)]


def people_notices(study: Study) -> list[StudyNotice]:
    """All of them."""
    return [*check_notices(study), *message_notices(study)]


NOTICES = people_notices
