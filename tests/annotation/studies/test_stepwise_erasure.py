"""A large study is deleted in short steps: what is decided goes on, and others write in between."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from accounts.audited_erasure import ErasureRefusedError
from accounts.models import AuditEntry
from annotation.background import study_deleting
from annotation.erasing import all_erasing
from annotation.members.membership import add_member
from annotation.models import Item, JudgeRun, Membership, Study, StudyDeletion, TaskPreparation
from annotation.studies import stepwise_erasure, study_deletion
from annotation.studies.locking import BeingErasedError, lock_study
from annotation.studies.stepwise_erasure import continue_erasure, decide_erasure
from annotation.studies.study_deletion import WORK_KEY, delete_study, request_decided
from config.background.claiming import process_row, run_waiting
from tests.conftest import draft_study, make_person
from tests.processes import child, said, tell

pytestmark = pytest.mark.both
COUNT = 40
OTHER_WRITER = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("PRAGMA busy_timeout = 0")
from accounts.models import BrowserSession
from django.utils import timezone
print("there", flush=True)
for line in sys.stdin:
    BrowserSession.objects.create(session_key=line.strip(), session_data="", expire_date=timezone.now())
    print("written", flush=True)
"""
WORKER = """
from annotation.studies import stepwise_erasure
from annotation.background import study_deleting
from config.background.claiming import process_row

stepwise_erasure.STEP_ROWS = stepwise_erasure.FEW_ROWS = 20
study_deleting.goes_in_steps = lambda: True
erase_some, steps = stepwise_erasure._erase_some, []

def erase_and_wait(model, keys, study):
    erase_some(model, keys, study)
    if model._meta.model_name == "item":
        print("there", flush=True)
        sys.stdin.readline()

stepwise_erasure._erase_some = erase_and_wait
process_row(sys.argv[1], int(sys.argv[2]))
"""


@pytest.fixture
def study(owner):
    """A draft with items, which counts as large."""
    study = draft_study(items=COUNT)
    add_member(study, owner, "owner", None)
    return study


@pytest.fixture(autouse=True)
def _large(monkeypatch):
    monkeypatch.setattr(study_deletion, "MOST_AT_ONCE", 0)
    monkeypatch.setattr(study_deleting, "goes_in_steps", lambda: True)
    monkeypatch.setattr(study_deleting, "NEXT", 0)


def test_rows_go_before_those_that_they_refer_to():
    order = [rows.model for rows in stepwise_erasure._in_order(Study(pk=1, slug="study"))]
    tables = {model for part in all_erasing() for model, _ in part.study_rows} - {Study}
    assert tables < set(order)
    assert len(order) == len(set(order))
    late = [
        (model, other)
        for place, model in enumerate(order)
        for other in stepwise_erasure._named_by(model) & set(order[:place])
    ]
    assert late == []


@pytest.mark.django_db
def test_rows_that_others_of_their_table_refer_to_go_after_those(study):
    judge = study.raters.create(name="judge", kind="model")
    runs = [judge.runs.create(name=f"run-{number}", configuration={}) for number in range(4)]
    for older, newer in ((1, 0), (2, 3), (0, 3)):  # run 1 was replaced by run 0, and so on
        JudgeRun.objects.filter(pk=runs[older].pk).update(replaced_by=runs[newer])
    keys = stepwise_erasure._keys(JudgeRun.objects.filter(rater=judge))
    names = [next(run.name[-1] for run in runs if run.pk == key) for key in keys]
    assert sorted(names) == ["0", "1", "2", "3"]
    assert names.index("3") < names.index("0") < names.index("1")
    assert names.index("3") < names.index("2")


@pytest.mark.django_db
def test_from_its_decision_a_study_is_shut_and_can_only_go(study, owner, client):
    decide_erasure(study, owner)
    with pytest.raises(BeingErasedError, match="is being deleted"):
        lock_study(study.pk)
    client.force_login(owner)
    assert client.get("/studies/study/").status_code == 404
    client.force_login(make_person("operator", is_staff=True, is_superuser=True))
    assert client.get("/studies/study/").status_code == 503
    decide_erasure(study, owner)
    assert AuditEntry.objects.filter(action="study erased").count() == 1
    assert continue_erasure(study)
    assert not Study.objects.exists()


@pytest.mark.django_db
def test_without_a_decision_in_the_audit_nothing_goes(study):
    with pytest.raises(LookupError, match="no entry"):
        continue_erasure(study)
    assert Item.objects.count() == COUNT


@pytest.mark.django_db
def test_a_study_with_running_work_is_kept_with_its_members(study, owner):
    now = timezone.now()
    work = TaskPreparation.objects.create(
        study=study, person=owner, status="running", token="0" * 32, lease_until=now + timedelta(hours=1)
    )
    with pytest.raises(ErasureRefusedError, match="still active"):
        decide_erasure(study, owner)
    assert (Item.objects.count(), Membership.objects.count()) == (COUNT, 1)
    TaskPreparation.objects.filter(pk=work.pk).update(status="queued", token=None, lease_until=None)
    decide_erasure(study, owner)
    work.refresh_from_db()
    assert (work.status, work.reason) == ("stopped", stepwise_erasure.DELETED)


@pytest.mark.django_db
def test_a_worker_stops_after_a_while_and_goes_on_later_without_using_up_attempts(study, owner, monkeypatch):
    monkeypatch.setattr(study_deleting, "SECONDS", 0)
    row = delete_study(study, owner)
    assert process_row(WORK_KEY, row.pk)
    row.refresh_from_db()
    assert (row.status, row.attempt, row.reason) == ("queued", 0, study_deleting.GOES_ON)
    run_waiting()
    row.refresh_from_db()
    assert row.status == "done"
    assert not Study.objects.exists()


@pytest.mark.django_db
def test_a_decided_deletion_without_attempts_is_requested_again(study, owner):
    row = delete_study(study, owner)
    decide_erasure(study, owner)
    request_decided()
    assert StudyDeletion.objects.count() == 1
    StudyDeletion.objects.update(status="failed", attempt=10, ended_at=timezone.now())
    request_decided()
    again = StudyDeletion.objects.exclude(pk=row.pk).get()
    assert (again.asked_by, again.slug) == (owner, "study")
    run_waiting()
    assert not Study.objects.exists()


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_deletion_whose_worker_is_killed_is_completed_by_another(study, owner):
    row = delete_study(study, owner)
    with child(WORKER, WORK_KEY, row.pk) as worker:
        assert said(worker) == "there"
        assert Item.objects.count() == COUNT - 20
    StudyDeletion.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    run_waiting()
    row.refresh_from_db()
    assert row.status == "done"
    assert not Study.objects.exists()
    assert not Item.objects.exists()
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor.person) == ("study erased", owner)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_others_write_between_any_two_steps(study, owner, monkeypatch):
    if connection.vendor != "sqlite":
        pytest.skip("on PostgreSQL writers do not wait for each other")
    monkeypatch.setattr(stepwise_erasure, "STEP_ROWS", 20)
    monkeypatch.setattr(stepwise_erasure, "FEW_ROWS", 20)
    with child(OTHER_WRITER) as writer:
        assert said(writer) == "there"
        turns = []

        def write(_):
            turns.append(len(turns))
            tell(writer, f"turn-{turns[-1]}")
            assert said(writer) == "written"  # without waiting for the lock: it is free

        monkeypatch.setattr(stepwise_erasure.WritePauses, "take", write)
        call_command("erase_study", "study", "--confirm", "study")
    assert len(turns) > 5
    assert not Study.objects.exists()
