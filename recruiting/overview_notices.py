"""What recruiting shows on a study's overview."""

from annotation.models import Study
from annotation.studies.notices import StudyNotice
from recruiting.checks.excluding import open_notices, unread_replies

PAGE = "reports:rater_checks"


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


NOTICES = check_notices
