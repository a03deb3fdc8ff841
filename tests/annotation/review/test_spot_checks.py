"""Spot checks: a seeded sample of answers, a verdict with a note, and the annotator who reads it before the next
task."""

import pytest
from django.db import IntegrityError, transaction

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Question, Rating, SpotCheck, Study
from annotation.review.spot_checks import acknowledge, check, notes_to, sample, unfinished
from annotation.review.verdicts import ReviewedMeanwhileError
from annotation.studies.queries import work_of
from tests.conftest import make_person

FORM = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ["It says when."]}
NOTE = "Look at the time again."


@pytest.fixture
def answered(study, rater):
    """The study with all six of the rater's answers."""
    given = rater_for(study, rater)
    while assignment := next_assignment(study, given):
        submit(assignment, Submission(FORM, revision=0, guidelines_version=1))
    return study


def first_answer(study):
    return Annotation.objects.get(pk=sample(study, 0)[0].annotation)


def test_the_sample_has_a_share_of_each_annotators_answers_and_at_least_one(answered):
    assert len(sample(answered, 0)) == 1
    other = make_person("other")
    add_member(answered, other, "annotator", None)
    given = rater_for(answered, other)
    for _ in range(2):
        submit(next_assignment(answered, given), Submission(FORM, revision=0, guidelines_version=1))
    assert sorted(one.rater for one in sample(answered, 0)) == sorted({one.rater for one in sample(answered, 0)})
    Study.objects.filter(pk=answered.pk).update(options={"spot_check_share": 0.5})
    answered.refresh_from_db()
    assert len(sample(answered, 0)) == 3 + 1


def test_the_sample_is_the_same_each_time_follows_the_seed_and_can_be_switched_off(answered):
    drawn = {}
    for seed in range(8):
        answered.options = {"seed": seed}
        drawn[seed] = [one.annotation for one in sample(answered, 0)]
        assert drawn[seed] == [one.annotation for one in sample(answered, 0)]
    assert len({tuple(one) for one in drawn.values()}) > 1
    answered.options = {"spot_check_share": 0}
    assert sample(answered, 0) == []


def test_checked_answers_stay_in_the_sample_and_count(answered, owner):
    outside = Annotation.objects.exclude(pk=sample(answered, 0)[0].annotation).first()
    check(outside, "ok", "", owner, number=0)
    [one] = sample(answered, 0)
    assert (one.annotation, one.verdict, one.number) == (outside.pk, "ok", 1)
    assert unfinished(answered, 0, [one]) == ["6 of 12 slots are filled"]


def test_an_answer_that_was_changed_after_its_check_is_shown_as_changed(answered, owner):
    answer = first_answer(answered)
    check(answer, "problem", NOTE, owner, number=0)
    assignment = answer.task.assignments.get()
    submit(assignment, Submission(FORM | {"q-how_well": ["2"]}, revision=1, guidelines_version=1))
    [one] = sample(answered, 0)
    assert (one.verdict, one.number, one.revised) == ("problem", 0, True)


def test_checks_append_and_the_database_refuses_to_change_one(answered, owner):
    answer = first_answer(answered)
    check(answer, "problem", NOTE, owner, number=0)
    with pytest.raises(ReviewedMeanwhileError):
        check(answer, "ok", "", owner, number=0)
    check(answer, "ok", "", owner, number=1)
    assert list(SpotCheck.objects.order_by("number").values_list("verdict", "is_current")) == [
        ("problem", False),
        ("ok", True),
    ]
    for change in ({"note": "Other."}, {"verdict": "problem", "note": "x"}, {"number": 7}):
        with pytest.raises(IntegrityError), transaction.atomic():
            SpotCheck.objects.filter(number=2).update(**change)
    with pytest.raises(IntegrityError), transaction.atomic():
        SpotCheck.objects.create(
            annotation=answer, number=3, is_current=False, verdict="problem", note="",
            by=SpotCheck.objects.first().by, at=SpotCheck.objects.first().at,
        )  # fmt: skip
    assert AuditEntry.objects.filter(action="answer checked", actor__person=owner).count() == 2


def test_the_page_shows_the_task_as_the_annotator_saw_it_with_the_answer(answered, client, owner):
    client.force_login(owner)
    page = client.get(f"/studies/{answered.slug}/review/checks/").text
    answer = first_answer(answered)
    assert "The ferry sails at nine." in page
    assert answer.task.outputs.get().text in page
    assert "It says when." in page
    assert "mostly" in page
    assert answer.rater.name in page
    assert "system-" not in page
    assert "CANARY" not in page


def test_a_check_from_the_page_is_kept_and_a_problem_needs_a_note(answered, client, owner):
    client.force_login(owner)
    address, answer = f"/studies/{answered.slug}/review/checks/", first_answer(answered)
    fields = {"answer": answer.pk, "number": "0", "verdict": "problem"}
    refused = client.post(address, fields)
    assert refused.status_code == 422
    assert "Tell the annotator what the problem is." in refused.text
    assert client.post(address, fields | {"note": NOTE}).status_code == 302
    stale = client.post(address, fields | {"note": "Mine too."})
    assert stale.status_code == 409
    assert "Mine too." in stale.text
    assert SpotCheck.objects.get().note == NOTE
    assert "All checked" in client.get(address).text


def test_nobody_else_checks_an_answer(answered, client, rater, stranger, make_study):
    add_member(make_study("other"), stranger, "owner", None)
    fields = {"answer": first_answer(answered).pk, "number": "0", "verdict": "ok"}
    for person, slug in ((rater, answered.slug), (stranger, answered.slug), (stranger, "other")):
        client.force_login(person)
        assert client.post(f"/studies/{slug}/review/checks/", fields).status_code == 404
    client.force_login(stranger)
    assert client.get(f"/studies/other/review/checks/?at={fields['answer']}").status_code == 404


def test_the_annotator_reads_the_note_before_the_next_task(study, client, owner, rater):
    given = rater_for(study, rater)
    answer = submit(next_assignment(study, given), Submission(FORM, revision=0, guidelines_version=1))
    check(answer, "problem", NOTE, owner, number=0)
    assert work_of(rater)[0].notes == 1
    client.force_login(rater)
    assert "1 note on your answers" in client.get("/").text
    notes = f"/studies/{study.slug}/notes/"
    assert client.post(f"/studies/{study.slug}/next/")["Location"] == notes
    page = client.get(notes).text
    assert NOTE in page
    assert "I have read it" in page
    client.post(notes, {"note": SpotCheck.objects.get().pk})
    assert SpotCheck.objects.get().seen_at is not None
    assert AuditEntry.objects.filter(action="notes read", actor__person=rater).count() == 1
    assert client.post(f"/studies/{study.slug}/next/")["Location"].startswith("/work/")
    assert "I have read" not in client.get(notes).text


def test_an_all_right_without_a_note_disturbs_nobody(answered, owner, rater):
    check(first_answer(answered), "ok", "", owner, number=0)
    assert work_of(rater)[0].notes == 0
    assert not notes_to(rater, answered).exists()


def test_nobody_acknowledges_somebody_elses_note(answered, owner, rater, stranger):
    made = check(first_answer(answered), "problem", NOTE, owner, number=0)
    add_member(answered, stranger, "annotator", None)
    assert acknowledge(stranger, answered, [made.pk]) == 0
    assert acknowledge(rater, answered, [made.pk]) == 1
    assert acknowledge(rater, answered, [made.pk]) == 0


def test_marks_are_shown_in_their_output_with_label_and_note(answered, client, owner):
    answer = first_answer(answered)
    output = answer.task.outputs.get()
    question = Question.objects.create(study=answered, position=9, key="errors", type="spans", spec={})
    span = {"output": output.key, "start": 0, "end": 7, "text": "Ferries", "label": "who", "note": "Only one."}
    Rating.objects.create(
        study=answered, item=answer.task.item, question=question, rater=answer.rater, annotation=answer, level="span",
        value={"spans": [span], "none": []},
    )  # fmt: skip
    client.force_login(owner)
    page = client.get(f"/studies/{answered.slug}/review/checks/?at={answer.pk}").text
    assert '<mark class="span">Ferries</mark> sail at' in page
    assert "who" in page
    assert "Only one." in page
