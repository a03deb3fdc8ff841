"""Span reviews: a verdict with a reason beside each span, never over it; a queue for going through them."""

import pytest
from django.db import IntegrityError, transaction

from accounts.models import AuditEntry, Person
from annotation.members.membership import add_member, rater_for
from annotation.models import Output, Question, Rating, Reviewer, SpanReview
from annotation.review.marked_spans import marked_spans, pieces
from annotation.review.span_queue import Filters, queue
from annotation.review.verdicts import ReviewedMeanwhileError, last_review_by, review_span, reviewer_for, undo_review

TEXT = "👩‍👩‍👧 sails at 8. Ferries sail at nine."
SPANS = [
    {"output": "system-span", "start": 6, "end": 11, "text": "sails", "label": "wrong", "note": "Who sails?"},
    {"output": "system-span", "start": 15, "end": 16, "text": "8", "label": "number"},
]


@pytest.fixture
def marked(study, rater):
    """The rater's marks in an output with emoji: two spans, and one in another system's."""
    item = study.items.first()
    Output.objects.create(item=item, position=7, key="system-span", text=TEXT, digest="y")
    question = Question.objects.create(
        study=study, position=9, key="errors", type="spans", text="Which?", spec={"labels": ["number", "wrong"]}
    )
    return make_rating(study, item, question, rater_for(study, rater), SPANS)


def make_rating(study, item, question, rater, spans, **more):
    return Rating.objects.create(
        study=study, item=item, question=question, rater=rater, level="span", value={"spans": spans, "none": []}, **more
    )


@pytest.fixture
def queued(client, owner, study, marked):
    client.force_login(owner)
    return f"/studies/{study.slug}/review/spans/"


def post(client, address, span, **fields):
    return client.post(address, {"span": span, "number": "0", **fields})


def states(study):
    return [span.state for span in marked_spans(study)]


def test_spans_come_in_the_order_of_the_text_and_stay_untouched_by_reviews(study, marked, owner):
    assert [span.body["text"] for span in marked_spans(study)] == ["sails", "8"]
    review_span(marked, 1, "rejected", "The ferry does sail at eight.", owner, number=0)
    assert states(study) == ["open", "rejected"]
    assert Rating.objects.get(pk=marked.pk).value == {"spans": SPANS, "none": []}


def test_a_span_is_cut_out_of_its_text_by_code_points():
    assert pieces(TEXT, [SPANS[0]]) == [("👩‍👩‍👧 ", False), ("sails", True), (TEXT[11:], False)]
    assert "".join(text for text, _ in pieces(TEXT, SPANS)) == TEXT
    assert pieces("abc", [{"start": 0, "end": 3}]) == [("abc", True)]
    assert pieces("", []) == []


def test_the_latest_review_counts_and_none_is_overwritten(study, marked, owner):
    review_span(marked, 0, "confirmed", "Nobody sails.", owner, number=0)
    review_span(marked, 0, "rejected", "They do.", owner, number=1)
    assert states(study) == ["rejected", "open"]
    rows = SpanReview.objects.order_by("number").values_list("number", "verdict", "reason", "is_current")
    assert list(rows) == [(1, "confirmed", "Nobody sails.", False), (2, "rejected", "They do.", True)]
    assert AuditEntry.objects.filter(action="span reviewed", actor__person=owner).count() == 2


def test_a_review_of_a_span_that_was_just_reviewed_is_refused(study, marked, owner):
    review_span(marked, 0, "confirmed", "Nobody sails.", owner, number=0)
    with pytest.raises(ReviewedMeanwhileError):
        review_span(marked, 0, "rejected", "They do.", owner, number=0)
    assert SpanReview.objects.count() == 1


def test_undoing_adds_a_row_with_the_earlier_verdict(study, marked, owner):
    review_span(marked, 0, "confirmed", "Nobody sails.", owner, number=0)
    second = review_span(marked, 0, "rejected", "They do.", owner, number=1)
    again = undo_review(second, owner)
    assert (again.number, again.verdict, again.reason) == (3, "confirmed", "Nobody sails.")
    first = review_span(marked, 1, "confirmed", "Nine.", owner, number=0)
    assert last_review_by(study, owner) == first
    undo_review(first, owner)
    assert states(study) == ["confirmed", "open"]
    assert last_review_by(study, owner) is None
    assert SpanReview.objects.count() == 5


@pytest.mark.parametrize(
    "change", [{"verdict": "rejected"}, {"reason": "Other."}, {"index": 5}, {"number": 9}, {"at": "2020-01-01T00:00Z"}]
)
def test_the_database_refuses_to_change_a_review(study, marked, owner, change):
    review_span(marked, 0, "confirmed", "Nobody sails.", owner, number=0)
    with pytest.raises(IntegrityError), transaction.atomic():
        SpanReview.objects.update(**change)


def test_the_database_refuses_a_review_without_a_reason_and_two_current_ones(study, marked, owner):
    first = review_span(marked, 0, "confirmed", "Nobody sails.", owner, number=0)
    for fields in (
        {"number": 2, "verdict": "rejected", "reason": "", "is_current": False},
        {"number": 2, "verdict": "rejected", "reason": "No.", "is_current": True},
        {"number": 1, "verdict": "rejected", "reason": "No.", "is_current": False},
        {"number": 2, "verdict": "perhaps", "reason": "No.", "is_current": False},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            SpanReview.objects.create(rating=marked, index=0, by=first.by, at=first.at, **fields)


def test_a_span_kept_in_a_revision_keeps_its_verdict_until_it_gets_another(study, marked, owner):
    review_span(marked, 0, "confirmed", "Nobody sails.", owner, number=0)
    Rating.objects.filter(pk=marked.pk).update(is_current=False)
    later = make_rating(study, marked.item, marked.question, marked.rater, [SPANS[1], SPANS[0]], revision=2)
    assert [(span.body["text"], span.state, span.number) for span in marked_spans(study)] == [
        ("sails", "confirmed", 0),
        ("8", "open", 0),
    ]
    review_span(later, 1, "rejected", "They do.", owner, number=0)
    assert states(study) == ["rejected", "open"]


def test_reviewers_have_a_random_name_in_each_study(study, make_study, owner, stranger):
    names = [reviewer_for(one, owner).name for one in (study, study, make_study("other"))]
    assert names[0] == names[1] != names[2]
    assert reviewer_for(study, stranger).name != names[0]
    assert not any("owner" in name or str(owner.pk) == name.split("-")[1] for name in names)
    assert Reviewer.objects.count() == 3


def test_the_queue_continues_after_the_current_span_and_filters_by_label_system_and_state(study, marked, owner):
    first, second = marked_spans(study)
    found = queue(study, Filters())
    assert (found.span.key, found.after.key, found.before, found.done, found.total) == (
        first.key, second.key, None, 0, 2,
    )  # fmt: skip
    assert queue(study, Filters(), beyond=first.key).span.key == second.key
    assert queue(study, Filters(label="number")).span.key == second.key
    assert queue(study, Filters(system="system-west")).span is None
    review_span(marked, 0, "confirmed", "Nobody sails.", owner, number=0)
    assert (queue(study, Filters()).span.key, queue(study, Filters()).done) == (second.key, 1)
    assert queue(study, Filters(state="confirmed")).span.key == first.key
    assert queue(study, Filters(), at=first.key).span.key == first.key


def test_the_page_shows_the_span_in_its_place_and_who_marked_it_by_pseudonym(client, queued, marked, rater):
    Person.objects.filter(pk=rater.pk).update(username="quince-marmalade", full_name="Quince Marmalade")
    page = client.get(queued).text
    assert "The ferry sails at nine." in page
    assert '👩‍👩‍👧 <mark class="span">sails</mark> at 8.' in page
    assert marked.rater.name in page
    assert "Who sails?" in page
    assert "quince" not in page.lower()


def test_a_verdict_from_the_page_is_saved_and_the_next_span_is_shown(client, queued, study, marked):
    [first, second] = marked_spans(study)
    answer = post(client, queued + "?label=wrong", first.key, verdict="confirmed", reason="Nobody sails.")
    assert (answer.status_code, answer["Location"]) == (302, f"{queued}?label=wrong&beyond={first.key}")
    page = client.get(queued).text
    assert f'value="{second.key}"' in page
    answer = post(client, queued, first.key, step="undo")
    assert answer["Location"] == f"{queued}?at={first.key}"
    assert states(study) == ["open", "open"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"reason": "Typed words."}, "Confirm or reject it."),
        ({"verdict": "confirmed", "reason": " "}, "Give a reason."),
        ({"verdict": "withdrawn", "reason": "Typed words."}, "Select a valid choice"),
        ({"verdict": "confirmed", "reason": "nul\0"}, "error"),
    ],
)
def test_a_missing_value_is_reported_beside_its_control_and_typed_text_stays(client, queued, study, fields, message):
    answer = post(client, queued, marked_spans(study)[0].key, **fields)
    assert answer.status_code == 422
    assert message in answer.text
    assert fields["reason"].strip() in answer.text or "\0" in fields["reason"]
    assert states(study) == ["open", "open"]


def test_a_stale_page_says_so_and_keeps_what_was_typed(client, queued, study, marked, owner):
    review_span(marked, 0, "confirmed", "Nobody sails.", owner, number=0)
    answer = post(client, queued, marked_spans(study)[0].key, verdict="rejected", reason="They do.")
    assert answer.status_code == 409
    assert "Somebody else has reviewed this span" in answer.text
    assert 'value="They do."' in answer.text
    assert states(study) == ["confirmed", "open"]


def test_nobody_else_reviews_a_span(client, queued, study, marked, rater, stranger, make_study):
    key = marked_spans(study)[0].key
    other = make_study("other")
    add_member(other, stranger, "owner", None)
    for person in (rater, stranger):
        client.force_login(person)
        assert post(client, queued, key, verdict="confirmed", reason="Mine.").status_code == 404
    # An address of one's own study does not open somebody else's span.
    answer = post(client, "/studies/other/review/spans/", key, verdict="confirmed", reason="Mine.")
    assert answer.status_code == 404
    assert not SpanReview.objects.exists()


@pytest.mark.parametrize("key", ["", "x", "1", "0-0", "-1-0", "99999999999999999999-0", "{}-2", "{}-999999999"])
def test_an_unknown_span_is_not_found(client, queued, marked, key):
    answer = post(client, queued, key.format(marked.pk), verdict="confirmed", reason="There.")
    assert answer.status_code == 404


def test_each_step_through_the_queue_costs_the_same_whatever_its_length(
    client, queued, study, marked, django_assert_max_num_queries
):
    for number in range(30):
        make_rating(study, marked.item, marked.question, marked.rater, SPANS, run=str(number))
    with django_assert_max_num_queries(16):
        client.get(queued)


def test_what_raters_and_reviewers_typed_is_shown_as_text(client, queued, study, marked, owner):
    bad = '"><script>alert(1)</script>'
    hostile = {"output": "system-span", "start": 0, "end": 1, "text": TEXT[0], "label": bad, "note": bad}
    Output.objects.create(item=marked.item, position=8, key=bad, text=f"{bad} said", digest="z")
    theirs = [hostile, {"output": bad, "start": 2, "end": 10, "text": "<script>"}]
    rating = make_rating(study, marked.item, marked.question, marked.rater, theirs, run="2")
    review_span(rating, 0, "confirmed", bad, owner, number=0)
    for query in ("", "?state=all", f"?at={rating.pk}-0", f"?at={rating.pk}-1"):
        page = client.get(queued + query).text
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page
