"""Annotators' written comments, which the researchers of a study read together: one mark says how far.

A changed comment is a new rating, so it is unread again.
"""

from django.db import transaction
from django.db.models import QuerySet

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Rater, Rating, ReadComments, Study
from annotation.review.verdicts import reviewer_for
from annotation.studies.locking import lock_study
from config.database_clock import database_now

MOST_COUNTED = 1000


def comments_of(study: Study) -> QuerySet[Rating]:
    """The current written answers of people, oldest first."""
    texts = Rating.objects.filter(study=study, is_current=True, level="text", rater__kind=Rater.Kind.HUMAN)
    return texts.select_related("rater", "item", "question", "output").order_by("study", "pk")


def unread_comments(study: Study) -> QuerySet[Rating]:
    """The comments after the mark."""
    return comments_of(study).filter(pk__gt=read_through(study))


def read_through(study: Study) -> int:
    """The primary key of the last rating whose comment has been read, 0 if none has."""
    return ReadComments.objects.filter(study=study).values_list("through", flat=True).first() or 0


def mark_read(study: Study, person: Person, through: int) -> bool:
    """Move the mark forward to the comment `through`; return whether it moved."""
    reviewer = reviewer_for(study, person)
    with transaction.atomic():
        lock_study(study.pk)
        before = read_through(study)
        if through <= before or not comments_of(study).filter(pk=through).exists():
            return False
        mark = {"through": through, "by": reviewer, "at": database_now()}
        if not ReadComments.objects.filter(study=study).update(**mark):
            ReadComments.objects.create(study=study, **mark)
        record("comments read", study.slug, actor=person, study=study.slug, old=before, new=through)
    return True
