"""Write verdicts on marked spans, each with a reason, beside the rater's answer and never over it."""

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.members.pseudonyms import named_row
from annotation.models import Rating, Reviewer, SpanReview, Study
from annotation.studies.locking import refuse_import_since
from config.database_clock import database_now

Verdict = SpanReview.Verdict


class ReviewedMeanwhileError(Exception):
    """Somebody has reviewed it since the page was made."""


def reviewer_for(study: Study, person: Person) -> Reviewer:
    """Return the person as a reviewer of the study, made at first need with a random name."""
    return named_row(Reviewer, "reviewer", study, person)


def review_span(rating: Rating, index: int, verdict: str, reason: str, person: Person, *, number: int) -> SpanReview:
    """Add a verdict on a span; `number` is the last review that the person saw (0: none).

    Raises ReviewedMeanwhileError if there is a later one.
    """
    reviewer = reviewer_for(rating.study, person)
    with transaction.atomic():
        refuse_import_since(rating.study)
        Rating.objects.select_for_update(of=("self",), no_key=True).get(pk=rating.pk)
        last = SpanReview.objects.filter(rating=rating, index=index, is_current=True).first()
        if (last.number if last else 0) != number:
            raise ReviewedMeanwhileError
        if last is not None:
            SpanReview.objects.filter(pk=last.pk).update(is_current=False)
        added = SpanReview.objects.create(
            rating=rating, index=index, number=number + 1, verdict=verdict, reason=reason, by=reviewer,
            at=database_now(),
        )  # fmt: skip
        record(
            "span reviewed",
            f"span {index} of rating {rating.pk}",
            actor=person,
            about=rating.rater.person,
            study=rating.study.slug,
            old={"verdict": last.verdict, "number": last.number} if last else None,
            new={"verdict": verdict, "number": added.number},
        )
    return added


def undo_review(last: SpanReview, person: Person) -> SpanReview:
    """Undo `last` by adding a row with the verdict before it. Raises ReviewedMeanwhileError if there is a later one."""
    rating = last.rating
    before = SpanReview.objects.filter(rating=rating, index=last.index, number=last.number - 1).first()
    verdict, reason = (before.verdict, before.reason) if before else (Verdict.WITHDRAWN.value, "")
    return review_span(rating, last.index, verdict, reason, person, number=last.number)


def last_review_by(study: Study, person: Person) -> SpanReview | None:
    """This person's last review, if it is current and not itself an undo."""
    mine = SpanReview.objects.filter(rating__study=study, by__person=person)
    last = mine.select_related("rating__study").order_by("-pk").first()
    return last if last is not None and last.is_current and last.verdict != Verdict.WITHDRAWN else None
