"""Changing a study keeps nobody waiting who submits an answer. Other processes hold the locks."""

import time
from contextlib import contextmanager

import pytest
from django.db import connection

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, deactivate_member, rater_for, restore_member
from annotation.models import Annotation, Membership, Slot, Study
from annotation.studies.planning import plan_chunk
from tests.processes import WAIT, child, finished, said, tell

GOOD = {"q-follows": ["true"], "q-how_well": ["4"]}
OPEN = """
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from django.db import transaction
from files.reading import add_to_study
from annotation.models import Guideline, Study
from annotation.studies import lifecycle
from annotation.studies.batches import release_next
from annotation.studies.planning import plan_chunk, replan_from
from accounts.models import Person

study, owner, what = Study.objects.get(slug="study"), Person.objects.get(username="owner"), sys.argv[1]
with transaction.atomic():
    if what == "import":
        with TemporaryDirectory() as folder:
            items = Path(folder) / "items.jsonl"
            items.write_text(json.dumps({"id": "new", "outputs": [{"id": "a", "text": "Ferries sail."}]}))
            add_to_study(study, {"items": items}, owner)
    elif what == "planning":
        replan_from(study, 1)
        plan_chunk(study)
    elif what == "closing":
        lifecycle.close(study, owner)
    else:
        lifecycle.publish_guidelines(study, "Read twice.", owner)
    print("open", flush=True)
    sys.stdin.readline()
"""
ANSWER_AND_WAIT = """
from django.db import transaction
from annotation.desk.submitting import Submission, submit
from annotation.models import Assignment
assignment = Assignment.objects.select_related("rater__study", "rater__person", "task__item").get(pk=int(sys.argv[1]))
with transaction.atomic():
    submit(assignment, Submission({"q-follows": ["true"], "q-how_well": ["4"]}, revision=0))
    print("open", flush=True)
    sys.stdin.readline()
"""
REMOVE = """
from accounts.models import Person
from annotation.members.membership import deactivate_member
from annotation.models import Membership
membership = Membership.objects.select_related("person").get(person__username="rater")
deactivate_member(membership, Person.objects.get(username="owner"))
"""
ANSWER_ALL = """
from annotation.desk.assigning import BusyError, next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.models import Rater
rater = Rater.objects.select_related("study").get(pk=int(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    assignment = next_assignment(rater.study, rater)
    if assignment is None:
        break
    submit(assignment, Submission({"q-follows": ["true"], "q-how_well": ["4"]}, revision=0))
"""


@contextmanager
def impatient():
    """On this connection a lock that is not free at once is an error."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '1s'")
        try:
            yield
        finally:
            cursor.execute("RESET lock_timeout")


def wait_for_a_blocked_connection() -> None:
    """Return when another connection to this database waits for a lock."""
    until = time.monotonic() + WAIT
    waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with connection.cursor() as cursor:
        while time.monotonic() < until:
            cursor.execute(waiting)
            if cursor.fetchone():
                return
            time.sleep(0.02)
    raise AssertionError("nobody waits for a lock")


needs_row_locks = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no row locks")


@pytest.mark.postgresql
@needs_row_locks
@pytest.mark.parametrize("what", ["import", "planning", "closing", "guidelines"])
def test_an_answer_is_saved_while_its_study_is_being_changed(transactional_db, study, owner, rater, what):
    assignment = next_assignment(study, rater_for(study, rater))
    with child(OPEN, what) as other:
        assert said(other) == "open"
        with impatient():
            submit(assignment, Submission(GOOD, revision=0))
        tell(other)
        finished(other)
    assert Annotation.objects.count() == 1


@pytest.mark.postgresql
@needs_row_locks
def test_removing_a_member_waits_for_the_answer_they_are_sending(transactional_db, study, owner, rater):
    first = next_assignment(study, rater_for(study, rater))
    with child(ANSWER_AND_WAIT, first.pk) as answering:
        assert said(answering) == "open"
        with child(REMOVE) as removing:
            wait_for_a_blocked_connection()
            tell(answering)
            finished(answering)
            finished(removing)
    assert Annotation.objects.count() == 1
    assert not Membership.objects.get(person=rater).active
    assert not Slot.objects.filter(state="held").exists()


@pytest.mark.thorough
@pytest.mark.postgresql
@needs_row_locks
def test_a_member_is_removed_and_restored_while_they_answer(transactional_db, make_study, owner, rater):
    study = make_study(items=20, redundancy=1)
    while plan_chunk(study):
        pass
    Study.objects.update(status="live")
    member, mine = add_member(study, rater, "annotator", owner), rater_for(study, rater)
    with child(ANSWER_ALL, mine.pk, 60) as answering:
        assert said(answering) == "ready"
        tell(answering)
        while answering.poll() is None:
            deactivate_member(member, owner)
            restore_member(member, owner)
        finished(answering)
    assert Annotation.objects.filter(surplus=False).count() == Slot.objects.filter(state="filled").count() == 60
