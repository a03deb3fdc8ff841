"""The report uses the same verdicts on spans as the researchers' queue shows."""

from annotation.members.membership import rater_for
from annotation.models import Question, Rating
from annotation.review.verdicts import review_span, undo_review
from reports.figures.rows import Choice
from reports.figures.rows.rated_items import RatedItems
from reports.figures.rows.span_rows import spans


def test_the_last_verdict_counts_and_survives_a_revision(study, owner, rater):
    item = study.items.first()
    question = Question.objects.create(study=study, position=9, key="errors", type="spans", spec={})
    marks = [{"output": "system-north", "start": at, "end": at + 2, "text": "xx"} for at in (0, 3, 6)]
    fields = {"study": study, "item": item, "question": question, "rater": rater_for(study, rater), "level": "span"}
    first = Rating.objects.create(value={"spans": marks, "none": []}, **fields)
    review_span(first, 0, "rejected", "Right.", owner, number=0)
    review_span(first, 0, "confirmed", "Wrong.", owner, number=1)
    undo_review(review_span(first, 1, "confirmed", "Wrong.", owner, number=0), owner)
    review_span(first, 2, "rejected", "Right.", owner, number=0)
    choice = Choice(pooled=True)
    assert spans(RatedItems(study), question, choice).verdict.tolist() == [1, -1, 0]
    Rating.objects.filter(pk=first.pk).update(is_current=False)
    Rating.objects.create(value={"spans": marks[1:], "none": []}, revision=2, **fields)
    assert spans(RatedItems(study), question, choice).verdict.tolist() == [-1, 0]
