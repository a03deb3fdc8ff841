"""A summary and a final answer of an item, for tests of every row that a study may have."""

from django.utils import timezone

from annotation.models import Adjudication
from annotation.review.verdicts import reviewer_for
from managing.models import ItemSummary


def add_steered_rows(study, person):
    """Make both rows; return them by the names of their models."""
    item = study.items.first()
    summary = ItemSummary.objects.create(
        study=study, item=item, key=item.key, text="CANARY-TEXT", pool="main", state="open"
    )
    final = Adjudication.objects.create(
        item=item, question=study.questions.first(), unit="u", number=1, value=True, reason="CANARY-REASON",
        at=timezone.now(), by=reviewer_for(study, person),
    )  # fmt: skip
    return {"itemsummary": summary, "adjudication": final}
