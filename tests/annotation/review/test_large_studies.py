"""Pages of large studies: workers count them and draw the samples, and pages read what was kept, whatever the size."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.background.study_counting import WORK, count
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.erasing import ERASING
from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, DrawnAnswer, Output, Question, Rating, StudyCounts
from annotation.review.batch_samples import KeptSample, batch_review
from annotation.review.marked_spans import marked_spans
from annotation.review.span_queue import Filters, queue
from annotation.review.spot_checks import check, sample
from annotation.review.verdicts import review_span
from annotation.studies.kept_counts import OVERVIEW, kept_counts
from annotation.studies.planning import plan_chunk
from annotation.studies.study_overview import count_overview, overview_of
from config.background.claiming import claim, process_row
from config.background.kinds import TryLaterError
from config.background.rows import Status
from config.erasure import open_erasure
from tests.conftest import add_item, make_person

FORM = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ["It says when."]}
FURTHER = re.compile(r'href="\?([^"]*)">Look further')
PAGES = ("", "people/", "review/", "review/checks/", "review/spans/")


@pytest.fixture(autouse=True)
def large(monkeypatch):
    """Any study counts as large, and entries of the audit are visible at once."""
    for module in ("annotation.studies.kept_counts", "annotation.review.batch_samples", "annotation.review.span_queue"):
        monkeypatch.setattr(f"{module}.MOST_AT_ONCE", 0)
    monkeypatch.setattr("annotation.studies.kept_counts.LATE", timedelta())


@pytest.fixture
def answered(study, rater):
    study.options = {"spot_check_share": 0.5}
    study.save()
    answer_all(study, rater)
    return study


def answer_all(study, person):
    given = rater_for(study, person)
    while assignment := next_assignment(study, given):
        submit(assignment, Submission(FORM, revision=0, guidelines_version=1))


def count_requested():
    """Do what a worker would, also what would still wait for a while; return how many rows there were."""
    queued = StudyCounts.objects.filter(status=Status.QUEUED)
    queued.update(due_at=timezone.now() - timedelta(minutes=1))
    return sum(process_row(WORK.key, pk) for pk in list(queued.values_list("pk", flat=True)))


def kept_review(study):
    batch_review(study, 0)
    count_requested()
    return batch_review(study, 0)


def mark(study, person, item, key, spans):
    Output.objects.get_or_create(
        item=item, key=key, defaults={"position": item.outputs.count(), "text": "One two three.", "digest": key}
    )
    question, _ = Question.objects.get_or_create(
        study=study,
        key="errors",
        defaults={"position": 9, "type": "spans", "text": "Which?", "spec": {}, "required": False},
    )
    body = [{"output": key, "start": start, "end": start + 3, "text": "One", "label": label} for start, label in spans]
    return Rating.objects.create(
        study=study, item=item, question=question, rater=rater_for(study, person), level="span",
        value={"spans": body, "none": []},
    )  # fmt: skip


@pytest.fixture
def marked(study, rater):
    """Two ratings on each of four items, in an order that is not that of their keys."""
    items = [*study.items.order_by("pk"), add_item(study, "more-1"), add_item(study, "more-2")]
    for item in reversed(items):
        mark(study, rater, item, "system-b", [(4, "wrong"), (0, "number")])
        mark(study, rater, item, "system-a", [(0, "wrong")])
    return study


def test_a_kept_sample_is_the_one_that_a_small_study_draws(answered):
    first = batch_review(answered, 0)
    assert (first.state, len(first.sampled), first.kept.is_waiting) == (None, 0, True)
    kept = kept_review(answered)
    assert isinstance(kept.sampled, KeptSample)
    assert list(kept.sampled) == sample(answered, 0)
    assert len(kept.sampled) == 3
    assert (kept.state.filled, kept.state.places, kept.left, kept.checked) == (6, 12, 3, 0)
    assert kept.kept.is_current


def test_checks_count_at_once_and_do_not_draw_the_sample_again(answered, owner):
    kept = kept_review(answered)
    for left in (2, 1, 0):
        one = batch_review(answered, 0).sampled.first_open()
        check(Annotation.objects.get(pk=one.annotation), "ok", "", owner, number=0)
        assert batch_review(answered, 0).left == left
    now = batch_review(answered, 0)
    assert now.sampled.first_open() is None
    assert [one.verdict for one in now.sampled] == ["ok"] * 3
    assert now.kept == kept.kept
    assert now.unfinished == ["6 of 12 slots were filled"]


def test_an_answer_after_the_draw_asks_for_another_and_hinders_the_release(answered):
    kept_review(answered)
    other = make_person("other")
    add_member(answered, other, "annotator", None)
    answer_all(answered, other)
    now = batch_review(answered, 0)
    assert (now.kept.is_current, now.kept.is_waiting) == (False, True)
    assert now.unfinished == [
        "3 of 3 spot checks are open",
        "the sample is being drawn again, because answers have changed",
    ]
    assert count_requested() == 1
    again = batch_review(answered, 0)
    assert again.unfinished == ["6 of 6 spot checks are open"]
    assert list(again.sampled) == sample(answered, 0)
    assert StudyCounts.objects.count() == 1


def test_a_revised_answer_stays_in_the_sample_and_a_check_during_the_draw_counts(answered, owner, monkeypatch):
    batch_review(answered, 0)

    def sample_then_check(study, batch):
        drawn = sample(study, batch)
        check(Annotation.objects.get(pk=drawn[0].annotation), "problem", "Look again.", owner, number=0)
        return drawn

    monkeypatch.setattr("annotation.background.study_counting.sample", sample_then_check)
    count_requested()
    now = batch_review(answered, 0)
    assert now.left == 2
    answer = Annotation.objects.get(pk=now.sampled[0].annotation)
    submit(answer.task.assignments.get(), Submission(FORM | {"q-how_well": ["2"]}, revision=1, guidelines_version=1))
    [one] = now.sampled[0:1]
    assert (one.verdict, one.revised, one.annotation != answer.pk) == ("problem", True, True)


def test_a_repeated_draw_leaves_one_sample_and_an_erasure_none(answered, rater):
    batch_review(answered, 0)
    row = StudyCounts.objects.get()
    killed = claim(WORK, row.pk)
    place = sample(answered, 0)[0]
    DrawnAnswer.objects.create(counts=row, place=0, task_id=place.task_id, rater_id=place.rater_id)
    count(killed)
    assert DrawnAnswer.objects.count() == 3
    with open_erasure("rater:1") as erased:
        ERASING.erase_answers(rater_for(answered, rater), erased)
    assert not DrawnAnswer.objects.exists()
    assert not StudyCounts.objects.exists()


def test_counts_are_not_kept_if_something_was_erased_meanwhile(answered, monkeypatch):
    kept_counts(answered, OVERVIEW)
    held = claim(WORK, StudyCounts.objects.get().pk)

    def erase_meanwhile(study):
        with open_erasure("nothing:0"):
            return count_overview(study)

    monkeypatch.setattr("annotation.background.study_counting.count_overview", erase_meanwhile)
    with pytest.raises(TryLaterError):
        count(held)
    assert not StudyCounts.objects.filter(status="done").exists()


def test_the_overview_shows_what_was_counted_and_when(answered, client, owner):
    client.force_login(owner)
    page = client.get("/studies/study/").text
    assert "counted in the background" in page
    assert "No items yet" not in page
    assert count_requested() == 1
    page = client.get("/studies/study/").text
    assert '<span class="figure-value">6</span> of 12 answers given' in page
    assert "Counted on" in page
    assert "A newer count" not in page
    kept = overview_of(answered)
    assert kept.figures == count_overview(answered)
    assert [(one.submitted, one.is_counted) for one in kept.contributions() if one.rater] == [(6, True)]
    assert not StudyCounts.objects.filter(status=Status.QUEUED).exists()


def test_steps_through_the_queue_are_in_the_order_of_all_spans(marked, owner, monkeypatch):
    monkeypatch.setattr("annotation.review.span_steps.CHUNK", 3)
    spans = marked_spans(marked)
    keys, found = [], queue(marked, Filters())
    while found.after is not None:
        keys.append(found.span.key)
        beyond = queue(marked, Filters(), beyond=found.span.key)
        found = queue(marked, Filters(), at=found.after.key)
        assert (found.before.key, beyond.span) == (keys[-1], found.span)
    assert [*keys, found.span.key] == [span.key for span in spans]
    assert queue(marked, Filters(), beyond=spans[-1].key).span == spans[0]
    assert queue(marked, Filters(label="number", system="system-b")).span.label == "number"
    assert queue(marked, Filters(label="none")).span is None


def test_the_queue_counts_by_label_and_state_and_begins_at_the_first_open_span(marked, owner):
    first = marked_spans(marked)[0]
    review_span(Rating.objects.get(pk=first.rating), first.index, "confirmed", "It is.", owner, number=0)
    queue(marked, Filters())
    count_requested()
    found = queue(marked, Filters())
    assert (found.done, found.total, found.labels, found.systems) == (
        1, 12, ["number", "wrong"], ["system-a", "system-b"],
    )  # fmt: skip
    assert found.span == marked_spans(marked)[1]
    assert queue(marked, Filters(state="confirmed")).span.key == first.key
    assert queue(marked, Filters(label="number")).total == 4


def test_a_page_looks_at_some_spans_and_offers_to_look_further(marked, client, owner, monkeypatch):
    monkeypatch.setattr("annotation.review.span_steps.CHUNK", 2)
    monkeypatch.setattr("annotation.review.span_steps.LOOKED_AT", 4)
    mark(marked, owner, add_item(marked, "last"), "system-c", [(0, "rare")])
    client.force_login(owner)
    query, steps = "label=rare", 0
    while further := FURTHER.search(page := client.get(f"/studies/study/review/spans/?{query}").text):
        query, steps = unescape(further[1]), steps + 1
    assert steps == 3
    assert "<dd><bdi>rare</bdi></dd>" in page


def test_queries_do_not_depend_on_the_size_of_the_study(answered, rater, client, owner):
    for item in answered.items.all():
        mark(answered, rater, item, "system-a", [(0, "wrong")])
    client.force_login(owner)
    few = statements(client)
    for number in range(12):
        item = add_item(answered, f"more-{number}")
        mark(answered, rater, item, "system-a", [(0, "wrong"), (4, "number")])
    while plan_chunk(answered):
        pass
    answer_all(answered, rater)
    assert len(sample(answered, 0)) > 10
    assert statements(client) == few


def statements(client):
    """The number of statements of each page, once everything is counted and once a count is requested."""
    for page in PAGES:
        client.get(f"/studies/study/{page}")
    count_requested()
    found = []
    for page in PAGES:
        with CaptureQueriesContext(connection) as queries:
            assert client.get(f"/studies/study/{page}").status_code == 200
        found.append(len(queries))
    return found
