"""What researchers wrote and workers counted about a study's items, for tests of every row that a study may have."""

from django.utils import timezone

from annotation.models import Adjudication, Assignment, FlagAnswer, ReadComments
from annotation.review.verdicts import reviewer_for
from managing.models import ItemLocalAlpha, ItemSummary


def add_steered_rows(study, person):
    """Make a row of each; return them by the names of their models."""
    item = study.items.first()
    summary = ItemSummary.objects.create(
        study=study, item=item, key=item.key, text="CANARY-TEXT", pool="main", state="open"
    )
    alpha = ItemLocalAlpha.objects.create(study=study, item=item, question=study.questions.first(), alpha=0.5)
    final = Adjudication.objects.create(
        item=item, question=study.questions.first(), unit="u", number=1, value=True, reason="CANARY-REASON",
        at=timezone.now(), by=reviewer_for(study, person),
    )  # fmt: skip
    about = {"by": reviewer_for(study, person), "at": timezone.now()}
    given = Assignment.objects.filter(rater__study=study).first()
    flagged = FlagAnswer.objects.create(
        rater=given.rater, task=given.task, number=1, flag="CANARY-FLAG",
        outcome="resolved", note="CANARY-NOTE", **about,
    )  # fmt: skip
    read = ReadComments.objects.create(study=study, **about)
    return {
        "itemsummary": summary, "itemlocalalpha": alpha, "adjudication": final, "flaganswer": flagged,
        "readcomments": read,
    }  # fmt: skip
