import uuid
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.desk.drafting import AlreadySubmittedError, DraftConflictError, pulse, save_draft
from annotation.desk.submitting import (
    Effort,
    KeyReusedError,
    StaleRevisionError,
    StudyClosedError,
    Submission,
    current_annotation,
    flag,
    skip,
    submit,
    undo,
)
from annotation.models import Annotation, Assignment, DraftConflict, Item, Rater, Rating, Slot, Study
from annotation.protocols import AnswersInvalidError

pytestmark = [pytest.mark.quick, pytest.mark.both]


def form(follows="true", how_well="4", comment=""):
    return {"q-follows": [follows], "q-how_well": [how_well], "q-comment": [comment]}


@pytest.fixture
def assignment(study, rater):
    return next_assignment(study, Rater.objects.create(study=study, name="ada", person=rater))


def test_an_answer_becomes_an_annotation_and_one_rating_per_question(assignment):
    annotation = submit(assignment, Submission(form(comment=" why \r\nnot "), revision=0, guidelines_version=1))
    assert annotation.answers == {"follows": True, "how_well": 4, "comment": " why \nnot "}
    rows = {r.question.key: (r.value, r.number, r.level, r.output.key) for r in annotation.ratings.all()}
    output = assignment.task.outputs.get().key
    assert rows == {
        "follows": (True, 1.0, "nominal", output),
        "how_well": (4, 4.0, "interval", output),
        "comment": (" why \nnot ", None, "text", output),
    }
    assert Slot.objects.get(holder=assignment.rater, task=assignment.task).state == "filled"


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"q-follows": ["maybe"]}, "follows"),
        ({"q-follows": []}, "follows"),
        ({"q-how_well": ["6"]}, "how_well"),
        ({"q-how_well": ["4.5"]}, "how_well"),
        ({"q-how_well": ["NaN"]}, "how_well"),
        ({"q-how_well": ["٤"]}, "how_well"),
        ({"q-how_well": ["9" * 5000]}, "how_well"),
        ({"q-comment": ["a\x00b"]}, "comment"),
        ({"q-comment": ["x" * 20_001]}, "comment"),
    ],
)
def test_an_invalid_answer_names_its_question_and_stores_nothing(assignment, change, key):
    with pytest.raises(AnswersInvalidError) as problem:
        submit(assignment, Submission(form() | change, revision=0))
    assert set(problem.value.errors) == {key}
    assert not Annotation.objects.exists()
    assert Slot.objects.get(task=assignment.task, holder=assignment.rater).state == "held"


def test_the_same_request_again_gives_the_same_annotation(assignment):
    sent = Submission(form(), revision=0, client_key=uuid.uuid4())
    assert submit(assignment, sent) == submit(assignment, sent)
    assert Annotation.objects.count() == 1


def test_the_same_key_with_other_content_is_refused(assignment):
    key = uuid.uuid4()
    submit(assignment, Submission(form(), revision=0, client_key=key))
    with pytest.raises(KeyReusedError):
        submit(assignment, Submission(form(how_well="2"), revision=0, client_key=key))


def test_changes_are_revisions_with_one_current_value(assignment):
    for revision, value in enumerate(["5", "4", "5"]):
        submit(assignment, Submission(form(how_well=value), revision=revision))
    kept = Rating.objects.filter(question__key="how_well").order_by("revision")
    assert [(r.value, r.is_current) for r in kept] == [(5, False), (4, False), (5, True)]
    assert current_annotation(assignment).revision == 3
    assert Slot.objects.filter(state="filled").count() == 1


def test_an_answer_from_an_old_page_is_refused_and_kept_aside(assignment):
    submit(assignment, Submission(form(how_well="5"), revision=0))
    with pytest.raises(StaleRevisionError) as problem:
        submit(assignment, Submission(form(how_well="1"), revision=0))
    assert problem.value.current.answers["how_well"] == 5
    assert DraftConflict.objects.get().body["q-how_well"] == ["1"]


def test_a_late_autosave_changes_no_submitted_answer(assignment):
    save_draft(assignment, form(how_well="2"), base_version=0, revision=0)
    submit(assignment, Submission(form(how_well="5"), revision=0))
    with pytest.raises(AlreadySubmittedError):
        save_draft(assignment, form(how_well="1"), base_version=1, revision=0)
    assert current_annotation(assignment).answers["how_well"] == 5
    assert Assignment.objects.get().draft is None


def test_the_later_autosave_of_two_pages_keeps_both_versions(assignment):
    assert save_draft(assignment, form(comment="one"), base_version=0, revision=0) == 1
    with pytest.raises(DraftConflictError) as problem:
        save_draft(assignment, form(comment="two"), base_version=0, revision=0)
    assert problem.value.assignment.draft == form(comment="one")
    assert DraftConflict.objects.get().body == form(comment="two")


def test_an_autosave_whose_reply_was_lost_is_no_conflict(assignment):
    save_draft(assignment, form(comment="one"), base_version=0, revision=0)
    assert save_draft(assignment, form(comment="one"), base_version=0, revision=0) == 1
    assert not DraftConflict.objects.exists()


def test_undo_withdraws_the_answer_and_brings_back_what_was_typed(assignment):
    submit(assignment, Submission(form(comment="hm"), revision=0))
    withdrawn = undo(assignment, Submission({}, revision=1))
    assert (withdrawn.status, withdrawn.revision) == ("withdrawn", 2)
    assert not Rating.objects.filter(is_current=True).exists()
    assignment.refresh_from_db()
    assert assignment.draft["q-comment"] == ["hm"]
    assert Slot.objects.get(task=assignment.task, holder=assignment.rater).state == "held"
    submit(assignment, Submission(form(), revision=2))
    assert Slot.objects.get(task=assignment.task, holder=assignment.rater).state == "filled"


@pytest.mark.parametrize(
    "posted", [{"q-comment": ["half a thought"]}, {}, {"q-comment": ["\0"]}], ids=["new", "no", "bad"]
)
def test_undoing_a_skip_brings_back_what_was_typed(assignment, posted):
    save_draft(assignment, {"q-comment": ["half"]}, base_version=0, revision=0)
    skip(assignment, Submission(posted, revision=0), "tired")
    undo(assignment, Submission({}, revision=1))
    assignment.refresh_from_db()
    assert assignment.draft["q-comment"] == (
        ["half a thought"] if posted.get("q-comment") == ["half a thought"] else ["half"]
    )


def test_an_undo_keeps_a_newer_draft_that_was_never_sent(assignment):
    submit(assignment, Submission(form(comment="sent"), revision=0))
    save_draft(assignment, form(comment="newer"), base_version=Assignment.objects.get().draft_version, revision=1)
    undo(assignment, Submission({}, revision=1))
    assignment.refresh_from_db()
    assert assignment.draft["q-comment"] == ["newer"]


def test_a_skip_after_an_answer_opens_the_slot_again(assignment):
    submit(assignment, Submission(form(), revision=0))
    skip(assignment, Submission({}, revision=1), "not my field")
    assert not Slot.objects.filter(task=assignment.task, holder=assignment.rater).exists()
    assert Annotation.objects.get(is_current=True).reason == "not my field"
    assert not Rating.objects.filter(is_current=True).exists()


def test_a_flag_is_evidence_before_any_answer_and_goes_with_the_one_that_follows(assignment):
    flag(assignment, "the text is cut off")
    alone = current_annotation(assignment)
    assert (alone.status, alone.revision, alone.flag, alone.seconds) == ("flagged", 1, "the text is cut off", None)
    assert Slot.objects.get(task=assignment.task, holder=assignment.rater).state == "held"
    assert next_assignment(assignment.rater.study, assignment.rater) == assignment  # it is still to be answered
    answered = submit(assignment, Submission(form(), revision=1))
    assert (answered.revision, answered.flag) == (2, "the text is cut off")


def test_a_flag_withdrawn_before_any_answer_leaves_none(assignment):
    flag(assignment, "odd")
    flag(assignment, "")
    assert (current_annotation(assignment).status, current_annotation(assignment).flag) == ("withdrawn", "")


def test_a_flag_after_the_answer_is_a_revision_that_keeps_its_values_and_times(assignment):
    first = submit(assignment, Submission(form(), revision=0, effort=Effort(30, 20, {"step": 1})))
    Assignment.objects.update(opened_at=timezone.now() - timedelta(days=2))
    pulse(assignment, Effort(7, 7))
    flag(assignment, "odd")
    second = current_annotation(assignment)
    assert (second.revision, second.flag, second.answers) == (2, "odd", first.answers)
    for name in ("opened_at", "submitted_at", "seconds", "visible_seconds", "active_seconds", "tool_use"):
        assert getattr(second, name) == getattr(first, name)
    assert set(Rating.objects.filter(is_current=True).values_list("seconds", flat=True)) == {first.seconds}


def test_the_clock_of_a_change_starts_when_the_answer_is_opened_again(assignment):
    submit(assignment, Submission(form(), revision=0))
    Assignment.objects.update(created_at=timezone.now() - timedelta(days=1))
    pulse(assignment, Effort())  # the page of the answer is opened a day later
    changed = submit(assignment, Submission(form(how_well="1"), revision=1))
    assert 0 <= changed.seconds < 60
    unseen = submit(assignment, Submission(form(how_well="2"), revision=2))  # sent by a page without scripts
    assert (unseen.opened_at, unseen.seconds) == (None, None)


def test_a_closed_study_keeps_its_answers_as_they_are(assignment):
    submit(assignment, Submission(form(), revision=0))
    Study.objects.update(status="closed")
    for change in (
        lambda: submit(assignment, Submission(form(how_well="1"), revision=1)),
        lambda: undo(assignment, Submission({}, revision=1)),
        lambda: skip(assignment, Submission({}, revision=1), "late"),
        lambda: flag(assignment, "late"),
    ):
        with pytest.raises(StudyClosedError):
            change()
    assert Annotation.objects.count() == 1
    assert Assignment.objects.get().flag == ""


def test_an_answer_given_after_the_study_closed_is_an_extra_and_frees_its_slot(assignment):
    Study.objects.update(status="closed")
    assert submit(assignment, Submission(form(), revision=0)).surplus
    assert not Slot.objects.filter(task=assignment.task, holder=assignment.rater).exists()


def test_seconds_from_the_page_add_up_and_the_servers_own_are_kept_too(assignment):
    pulse(assignment, Effort(30, 20, {"step": 2}))
    annotation = submit(assignment, Submission(form(), revision=0, effort=Effort(5, 4, {"step": 1, "selection": 1})))
    assert (annotation.visible_seconds, annotation.active_seconds) == (35, 24)
    assert annotation.tool_use == {"selection": 1, "step": 3}
    assert 0 <= annotation.seconds < 35


def test_work_sent_after_the_study_closed_is_kept_as_surplus_if_the_lease_has_ended(assignment):
    Slot.objects.update(state="open", holder=None, lease_until=None)
    Study.objects.update(status="closed")
    assert submit(assignment, Submission(form(), revision=0)).surplus


def test_texts_and_answers_cannot_be_changed_in_the_database(assignment):
    submit(assignment, Submission(form(), revision=0))
    changes = {
        Item: {"document": "other"},
        Annotation: {"answers": {}},
        Rating: {"value": 1},
        AuditEntry: {"action": "x"},
    }
    for model, change in changes.items():
        with pytest.raises(IntegrityError), transaction.atomic():
            model.objects.update(**change)


def test_every_step_of_a_task_leaves_a_trace(assignment):
    submit(assignment, Submission(form(), revision=0))
    undo(assignment, Submission({}, revision=1))
    flag(assignment, "odd")
    skip(assignment, Submission({}, revision=3), "tired")
    actions = list(AuditEntry.objects.order_by("pk").values_list("action", "actor__person__username"))
    assert actions == [
        ("task assigned", "rater"), ("task submitted", "rater"), ("task withdrawn", "rater"),
        ("task flagged", "rater"), ("task skipped", "rater"),
    ]  # fmt: skip
