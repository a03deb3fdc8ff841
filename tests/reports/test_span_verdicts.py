"""What the report takes for the verdict on a span is what the researchers' queue shows."""

from annotation.membership import rater_for
from annotation.models import Question, Rating
from annotation.reviewing import review_span, undo_review
from reports.rows import Choice
from reports.rows.material import Material
from reports.rows.spans import spans


def test_the_last_verdict_counts_taken_back_ones_do_not_and_a_revision_takes_them_over(study, owner, rater):
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
    assert spans(Material(study), question, choice).verdict.tolist() == [1, -1, 0]
    Rating.objects.filter(pk=first.pk).update(is_current=False)
    Rating.objects.create(value={"spans": marks[1:], "none": []}, revision=2, **fields)
    assert spans(Material(study), question, choice).verdict.tolist() == [-1, 0]
