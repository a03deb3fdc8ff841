"""The state of the data changes with everything that changes a figure, and with nothing else."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.answers import Unit
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, flag, skip, submit, undo
from annotation.machine_ratings import MachineRating, write_machine_ratings
from annotation.machine_shapes import checked_answer
from annotation.members.membership import add_member, rater_for
from annotation.members.rater_erasure import erase_rater
from annotation.members.tokens import issue_token
from annotation.models import JudgeRun, Output, Rater, Rating
from annotation.protocols import protocols
from annotation.review.verdicts import review_span, undo_review
from annotation.studies.lifecycle import describe, publish_guidelines
from files.reading import add_to_study
from judges.models import RunWork
from judges.run_states import end_if_over, replace_run
from reports.kept.data_state import MOST_COUNTED, NEWEST, OF_MACHINES, answers_since, data_state
from reports.report_kinds import report_kinds
from reports.report_kinds.agreement import agreement_choices
from tests.conftest import make_person
from tests.query_plans import plan_of
from tests.reports.state_changes import Changes

pytestmark = pytest.mark.django_db
FORM = {"q-follows": ["true"], "q-how_well": ["5"]}


def machine_run(study, name):
    """A running run of a model, whose judgments are all over."""
    rater, _ = Rater.objects.get_or_create(study=study, name="judge", kind="model")
    told = {"protocol": "llm_eval", "model": "campus/small", "questions": ["how_well"]}
    run = JudgeRun.objects.create(rater=rater, name=name, configuration=told, status="running")
    RunWork.objects.create(run=run, study=study, status="done", ended_at=timezone.now(), is_planned=True)
    return run


def rate_by_machine(run):
    study, output = run.rater.study, Output.objects.filter(item__study=run.rater.study).order_by("pk").first()
    question = study.questions.get(key="how_well")
    answer = checked_answer(question, protocols()[study.protocol], Unit(output.key), 4)
    write_machine_ratings(study, [MachineRating(answer, run.rater_id, output.item_id, output.pk, run=run.name)])


def test_each_change_of_answers_changes_the_state(study, owner, rater, tmp_path):
    changes, skipped = Changes(study), next_assignment(study, rater_for(study, rater))
    changes.after("skip", lambda: skip(skipped, Submission({}, 0), "No."))
    first = next_assignment(study, rater_for(study, rater))
    changes.after("submit", lambda: submit(first, Submission(FORM, 0, 1)))
    changes.after("revise", lambda: submit(first, Submission(FORM | {"q-how_well": ["2"]}, 1, 1)))
    changes.after("flag", lambda: flag(first, "It is odd."))
    changes.after("undo", lambda: undo(first, Submission({}, 3)))
    rating = Rating.objects.filter(study=study).first()
    verdict = changes.after("verdict", lambda: review_span(rating, 0, "rejected", "No.", owner, number=0))
    changes.after("verdict undone", lambda: undo_review(verdict, owner))
    for name, line in (
        ("items", '{"id": "new", "document": "d", "instruction": "i", "outputs": [{"id": "a", "text": "t"}]}'),
        ("ratings", '{"item": "item-0", "output": "system-north", "rater": "x", "question": "follows", "value": true}'),
        ("scores", '{"item": "item-0", "output": "system-north", "rater": "m", "rater_kind": "model",'
                   ' "question": "follows", "value": true}'),
    ):  # fmt: skip
        file = tmp_path / f"{name}.jsonl"
        file.write_text(line + "\n")
        changes.after(f"import of {name}", lambda name=name, file=file: add_to_study(study, {name: file}, owner))
    changes.after("guidelines", lambda: publish_guidelines(study, "Second", owner))
    changes.after("settings", lambda: describe(study, owner, title="Another", description="", contact=""))
    changes.after("erasure", lambda: erase_rater(rater_for(study, rater), owner, keep_answers=False))
    assert changes.unseen == []


def test_each_change_by_machines_changes_the_state_but_not_that_of_people_alone(study, owner):
    changes, run = Changes(study), machine_run(study, "run-1")
    other = machine_run(study, "run-2")
    people = report_kinds()["agreement"].ignored(agreement_choices())
    assert set(people) == OF_MACHINES
    alone = data_state(study, ignored=people)
    changes.after("ratings", lambda: rate_by_machine(run))
    changes.after("end", lambda: end_if_over(run))
    changes.after("replaced", lambda: replace_run(run, other, owner))
    assert changes.unseen == []
    assert data_state(study, ignored=people) == alone
    assert not report_kinds()["agreement"].ignored(agreement_choices(names=["judge"]))


def test_writing_a_rating_again_changes_nothing(study):
    run = machine_run(study, "run-1")
    rate_by_machine(run)
    before = data_state(study)
    rate_by_machine(run)
    assert data_state(study) == before


def test_access_and_exports_change_nothing(study, owner, rater):
    before = data_state(study)
    next_assignment(study, rater_for(study, rater))
    issue_token(study, owner, name="a script", scope="read")
    add_member(study, make_person("second"), "researcher", owner)
    assert data_state(study) == before


def test_a_change_in_another_study_changes_nothing(study, rater, make_study, owner):
    before = data_state(study)
    publish_guidelines(make_study("other"), "Second", owner)
    assert data_state(study) == before


def test_the_state_depends_on_the_version_of_the_kind(study):
    assert data_state(study, 1) != data_state(study, 2)


def test_an_entry_that_becomes_visible_late_changes_the_state(study):
    """On PostgreSQL a transaction may commit after others that took later times."""
    early = timezone.now()
    AuditEntry.objects.bulk_create(AuditEntry(action="task submitted", study=study.slug) for _ in range(NEWEST // 2))
    before, newest = data_state(study), AuditEntry.objects.order_by("-at", "-pk").first()
    add_entry_at(early, newest)
    assert AuditEntry.objects.order_by("-at", "-pk").first() == newest
    assert data_state(study) != before


def add_entry_at(moment, like):
    """Add an entry that was written at `moment`; the field itself takes only the current time."""
    columns = "actor_id, about_id, action, study, subject, old, new"
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO accounts_auditentry (at, {columns}) SELECT %s, {columns} FROM accounts_auditentry"
            " WHERE id = %s",
            [moment, like.pk],
        )


def test_answers_since_a_moment_are_counted_up_to_a_limit(study, rater):
    begun_at = timezone.now()
    submit(next_assignment(study, rater_for(study, rater)), Submission(FORM, 0, 1))
    assert answers_since(study, begun_at) == 1
    assert answers_since(study, timezone.now()) == 0
    many = (AuditEntry(action="task submitted", study=study.slug) for _ in range(MOST_COUNTED + 5))
    AuditEntry.objects.bulk_create(many)
    assert answers_since(study, begun_at) == MOST_COUNTED


def test_the_state_is_read_from_the_index_of_its_study(study):
    """Also if other studies have all newer entries and this one has most: a scan by time would read all of them."""
    for slug, count in ((study.slug, 3000), ("other", 2000)):
        AuditEntry.objects.bulk_create(AuditEntry(action="task submitted", study=slug) for _ in range(count))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE accounts_auditentry")
    with CaptureQueriesContext(connection) as queries:
        data_state(study)
        data_state(study, ignored=OF_MACHINES)
    for query in queries.captured_queries:
        plan = plan_of(query["sql"])
        assert "audit_study_at" in plan
        assert "TEMP B-TREE" not in plan


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL plans without the values")
def test_answers_since_a_moment_are_looked_for_from_there_on(study):
    AuditEntry.objects.bulk_create(AuditEntry(action="task submitted", study=study.slug) for _ in range(3000))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE accounts_auditentry")
    with CaptureQueriesContext(connection) as queries:
        answers_since(study, timezone.now())
    [asked] = queries.captured_queries
    assert "audit_study_at (study=? AND at>?)" in plan_of(asked["sql"])
