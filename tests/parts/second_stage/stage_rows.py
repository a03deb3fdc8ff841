"""A row of the second stage, for tests that open every page and use every model."""

from django.utils import timezone

from annotation.models import SeenItem
from parts.second_stage.models import SecondStageCase


def add_stage_rows(study, rater):
    """A case that the rater has decided, of the study's last item."""
    item = study.items.order_by("-pk").first()
    seen = SeenItem.objects.create(item=item, rater=rater)
    case = SecondStageCase.objects.create(item=item, rater=rater, done_at=timezone.now())
    return {"secondstagecase": case, "seenitem": seen}
