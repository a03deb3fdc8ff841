"""How much waits for the researchers of a study: flags without an answer, comments that nobody has marked as read."""

from dataclasses import dataclass

from django.db.models import F, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce

from annotation.models import Rater, Rating, ReadComments, Study
from annotation.review.flags import open_flags
from annotation.studies.counting import CountOf

MOST = 1000


@dataclass(frozen=True)
class AttentionCounts:
    """Open flags and unread comments, each counted up to MOST."""

    flags: int
    comments: int
    most: int = MOST


def attention_counts(study: Study) -> AttentionCounts:
    """Count both in one query."""
    through = Subquery(ReadComments.objects.filter(study=OuterRef("pk")).values("through")[:1])
    texts = Rating.objects.filter(study=OuterRef("pk"), is_current=True, level="text", rater__kind=Rater.Kind.HUMAN)
    unread = texts.filter(pk__gt=OuterRef("through")).order_by("study", "pk")
    row = (
        Study.objects.filter(pk=study.pk)
        .annotate(through=Coalesce(through, Value(0)))
        .annotate(
            flags=CountOf(open_flags(OuterRef("pk")).order_by().values("pk")[:MOST]),
            comments=CountOf(unread.values("pk")[:MOST]),
        )
        .values_list(F("flags"), F("comments"))
        .get()
    )
    return AttentionCounts(*row)
