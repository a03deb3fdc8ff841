"""Confirming and rejecting marked spans, each with a reason, beside what the rater said and never over it."""

import secrets
import string

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Rating, Reviewer, SpanReview, Study

NAMES = 20
Verdict = SpanReview.Verdict


class ReviewedMeanwhileError(Exception):
    """Somebody reviewed it since the page was made."""


def reviewer_for(study: Study, person: Person) -> Reviewer:
    """The person's name as a reviewer of the study; made on first need, random, telling nothing of them."""
    known = Reviewer.objects.filter(study=study, person=person).first()
    for _ in range(NAMES):
        if known is not None:
            return known
        name = "reviewer-" + "".join(secrets.choice(string.ascii_lowercase) for _ in range(8))
        try:
            with transaction.atomic():
                reviewer = Reviewer.objects.create(study=study, person=person, name=name)
                record("reviewer named", name, actor=person, study=study.slug)
                return reviewer
        except IntegrityError:  # the name is taken, or another request was first
            known = Reviewer.objects.filter(study=study, person=person).first()
    raise RuntimeError(f"No free reviewer name was found in {study.slug}.")


def review_span(rating: Rating, index: int, verdict: str, reason: str, person: Person, *, number: int) -> SpanReview:
    """Add a verdict on a span; `number` is that of the review which the person saw (0: none).

    Raises ReviewedMeanwhileError where there is a later one.
    """
    reviewer = reviewer_for(rating.study, person)
    with transaction.atomic():
        Rating.objects.select_for_update(of=("self",)).get(pk=rating.pk)
        last = SpanReview.objects.filter(rating=rating, index=index, is_current=True).first()
        if (last.number if last else 0) != number:
            raise ReviewedMeanwhileError
        if last is not None:
            SpanReview.objects.filter(pk=last.pk).update(is_current=False)
        added = SpanReview.objects.create(
            rating=rating, index=index, number=number + 1, verdict=verdict, reason=reason, by=reviewer,
            at=timezone.now(),
        )  # fmt: skip
        record(
            "span reviewed",
            f"span {index} of rating {rating.pk}",
            actor=person,
            study=rating.study.slug,
            old={"verdict": last.verdict, "reason": last.reason, "number": last.number} if last else None,
            new={"verdict": verdict, "reason": reason, "number": added.number},
        )
    return added


def undo_review(last: SpanReview, person: Person) -> SpanReview:
    """Add a row that says what was said before `last`; raises ReviewedMeanwhileError where it is not the last."""
    rating = last.rating
    before = SpanReview.objects.filter(rating=rating, index=last.index, number=last.number - 1).first()
    verdict, reason = (before.verdict, before.reason) if before else (Verdict.WITHDRAWN.value, "")
    return review_span(rating, last.index, verdict, reason, person, number=last.number)


def last_review_by(study: Study, person: Person) -> SpanReview | None:
    """What this person said last, if it still stands and is not itself a step back."""
    mine = SpanReview.objects.filter(rating__study=study, by__person=person)
    last = mine.select_related("rating__study").order_by("-pk").first()
    return last if last is not None and last.is_current and last.verdict != Verdict.WITHDRAWN else None
