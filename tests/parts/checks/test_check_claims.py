"""Claims with checks: exact when raters race, and as many statements among many tasks as among few."""

import re
import threading
from contextlib import suppress
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models import Count
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment, release_held_by
from annotation.desk.statements import _state_sql
from annotation.desk.submitting import StaleRevisionError, Submission, skip, submit, undo
from annotation.members.rater_erasure import erase_rater
from annotation.members.tokens import issue_token
from annotation.models import Assignment, Rater, Slot
from config.prepared_sql import stored
from parts.checks.background.check_upkeep import look_after_checks
from parts.checks.models import DueCheck
from parts.checks.preparing import prepare_checks
from tests.api.conftest import Program
from tests.parts.checks.checked_study import CHECKS, make_checked_study, rater_in

FORM = {"q-well": ["4"]}


@pytest.mark.both
@pytest.mark.django_db(transaction=True)
def test_a_race_with_checks_gives_nothing_twice_and_keeps_the_quota(owner, tmp_path):
    study = make_checked_study(
        tmp_path, owner, items=5, golden=6, checks={**CHECKS, "first": 0}, options={"same_raters": False}
    )
    raters = [rater_in(study, name)[1] for name in ("ada", "ben", "cyn")]
    finished, done = [], threading.Event()

    def work(rater):
        try:
            while (assignment := next_assignment(study, rater)) is not None:
                # Two pages of a rater may answer one task: the later answer is refused.
                with suppress(StaleRevisionError):
                    submit(assignment, Submission(FORM, 0, 1, client_key=uuid4()))
            finished.append(rater)
        finally:
            connection.close()

    def worker():
        try:
            while not done.wait(0.05):
                look_after_checks()
        finally:
            connection.close()

    look_after_checks()
    threads = [threading.Thread(target=work, args=[rater]) for rater in (*raters, *raters)]  # two pages of each
    upkeep = threading.Thread(target=worker)
    for thread in (upkeep, *threads):
        thread.start()
    for thread in threads:
        thread.join(120)
    done.set()
    upkeep.join(30)
    assert len(finished) == len(threads)
    own = Slot.objects.filter(study=study)
    assert own.count() == 5 * 3 * 2
    assert own.filter(state="filled").count() + own.filter(state="held").count() == own.exclude(state="open").count()
    assert (
        Slot.objects.filter(holder__isnull=False)
        .values("task", "holder")
        .annotate(n=Count("pk"))
        .filter(n__gt=1)
        .count()
        == 0
    )
    assert own.values("task").annotate(n=Count("pk")).filter(n__gt=2).count() == 0
    checks = Assignment.objects.filter(task__item__pool="copies")
    assert checks.count() == Slot.objects.filter(study=None).count() > 0
    for rater in raters:
        given = set(checks.filter(rater=rater).values_list("task", flat=True))
        assert given <= set(DueCheck.objects.filter(rater=rater).values_list("task", flat=True))
    assert own.filter(state="open").count() == 0


@pytest.mark.django_db
def test_a_claim_with_checks_costs_the_same_among_many_tasks(owner, tmp_path):
    counts = []
    for place, items in enumerate((6, 60)):
        study = make_checked_study(
            tmp_path / str(place), owner, items=items, slug=f"checked-{place}", options={"same_raters": False},
            checks={"first": 0, "gold": {"share": 0.5}},
        )  # fmt: skip
        _, rater = rater_in(study, f"ada-{place}")
        Rater.objects.filter(pk=rater.pk).update(name="ada")
        rater.refresh_from_db()
        prepare_checks(rater)
        taken = []
        for _ in range(8):
            with CaptureQueriesContext(connection) as captured:
                assignment = next_assignment(study, rater)
            taken.append((assignment.task.item.pool, len(captured.captured_queries)))
            submit(assignment, Submission(FORM, 0, 1))
        counts.append(taken)
        assert {pool for pool, _ in taken} == {"main", "copies"}
        assert len({number for _, number in taken}) == 1
    assert counts[0][0][1] == counts[1][0][1]


def hold_one(study, name, pool):
    """Somebody who answers tasks until they hold one of this pool; their client and the task."""
    person, rater = rater_in(study, name)
    prepare_checks(rater)
    program = Program(issue_token(study, person, name="mine", scope="annotate"))
    submit(next_assignment(study, rater), Submission(FORM, 0, 1))  # so that there is a task before it
    prepare_checks(rater)
    while (assignment := next_assignment(study, rater)).task.item.pool != pool:
        submit(assignment, Submission(FORM, 0, 1))
        prepare_checks(rater)
    client = Client()
    client.force_login(person)
    return client, program, rater, assignment


TEXTS = {"key", "document", "instruction", "outputs", "given_at"}


def seen_of(client, program, study, assignment):
    """What page and API say of a task in their order, without its texts, keys and times: it changes by being read."""
    work = f"/api/studies/{study.slug}/work/"
    page = client.get(f"/work/{assignment.key}/")
    told = program.get(f"{work}{assignment.key}/")
    listed = program.get(work)
    assert (page.status_code, told.status_code, listed.status_code) == (200, 200, 200)
    said = [{key: value for key, value in one.items() if key not in TEXTS}
            for one in (told.json(), *listed.json()["work"][:1])]  # fmt: skip
    pulse = client.post(f"/work/{assignment.key}/pulse/", {"draft_version": "0"})
    kinds = {key: type(value).__name__ for key, value in pulse.json().items()} if pulse.content else {}
    shown = re.sub(r">[^<]*<", "><", page.content.decode().replace(str(assignment.key), "KEY"))
    tags = [tag.split("=")[0] for tag in re.findall(r"<[^>]*>", re.sub(r"<script.*?</script>", "", shown, flags=re.S))]
    return [said, pulse.status_code, kinds, tags]


def test_a_lapsed_check_is_as_a_lapsed_task(owner, tmp_path):
    study = make_checked_study(
        tmp_path, owner, options={"same_raters": False}, checks={"first": 1, "gold": {"share": 0.5}}
    )
    holders = [hold_one(study, "ada", "copies"), hold_one(study, "ben", "main")]
    other = make_checked_study(tmp_path / "other", owner, options={"same_raters": False}, slug="other",
                               checks={"first": 1, "gold": {"share": 0.5}})  # fmt: skip
    elsewhere = hold_one(other, "dan", "copies")[2]
    Slot.objects.filter(state="held").update(lease_until=timezone.now() - timedelta(days=1))
    claimed = next_assignment(study, rater_in(study, "cyn")[1])
    assert claimed is not None
    assert [Slot.objects.filter(holder=rater, state="held").count() for *_, rater, _ in holders] == [0, 0]
    assert Slot.objects.filter(holder=elsewhere, state="held").count() == 1  # each study lets go of its own
    released = AuditEntry.objects.filter(action="slot released").values_list("subject", "new")
    for *_, held in holders:
        assert [new for subject, new in released if subject.startswith(f"task {held.task_id} ")] == [
            {"why": "lease expired"}
        ]
    check, task = [seen_of(client, program, study, held) for client, program, _, held in holders]
    assert check == task
    for client, program, _, held in holders:  # both go on with another task, by page and API
        assert client.post(f"/studies/{study.slug}/next/")["Location"] != f"/work/{held.key}/"
        given = program.post(f"/api/studies/{study.slug}/work/next/", "{}", content_type="application/json").json()
        assert given["task"]["key"] != str(held.key)


@pytest.mark.parametrize("checked", [False, True])
def test_late_leases_are_found_by_their_index(owner, tmp_path, checked):
    """Whether some lease has ended is asked by each answer, in studies of a million tasks."""
    now = stored(Slot, "lease_until", timezone.now())
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off")
        explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
        cursor.execute(f"{explain} {_state_sql(checked)}", [0, *[now] * (1 + checked), 0])
        plan = "\n".join(str(row) for row in cursor.fetchall())
    assert len(re.findall(r"(?:slot_lease \(|Index Cond: \()[^\n]*lease_until ?<", plan)) == 1 + checked, plan


def test_a_check_that_is_skipped_and_taken_back_is_held_again(owner, tmp_path):
    study = make_checked_study(
        tmp_path, owner, options={"same_raters": False}, checks={"first": 0, "gold": {"share": 0.5}}
    )
    _, rater = rater_in(study, "ada")
    prepare_checks(rater)
    while (assignment := next_assignment(study, rater)).task.item.pool == "main":
        submit(assignment, Submission(FORM, 0, 1))
    again = next_assignment(study, rater)
    assert again == assignment
    skip(assignment, Submission({}, 0, 1), "Unclear.")
    assert Slot.objects.get(task=assignment.task).state == "open"
    other = next_assignment(study, rater)
    assert other != assignment
    undo(assignment, Submission({}, 1, 1))
    assert Slot.objects.get(task=assignment.task, holder=rater).state == "held"
    assert submit(assignment, Submission(FORM, 2, 1)).surplus is False


@pytest.mark.parametrize("keep", [True, False])
def test_a_check_is_let_go_as_any_task_is(owner, tmp_path, keep):
    study = make_checked_study(
        tmp_path, owner, options={"same_raters": False}, checks={"first": 0, "gold": {"share": 0.5}}
    )
    rater = rater_in(study, "ada")[1]
    prepare_checks(rater)
    while (assignment := next_assignment(study, rater)).task.item.pool == "main":
        submit(assignment, Submission(FORM, 0, 1))
    held = Slot.objects.filter(task=assignment.task)
    assert release_held_by(study, rater, "stay ended") == 1
    assert held.get().holder is None
    Rater.objects.filter(pk=rater.pk).update(paused_at=timezone.now())
    rater.refresh_from_db()
    assert next_assignment(study, rater) is None  # they do not go on with the check either
    held.update(state="held", holder=rater, lease_until=timezone.now())
    erase_rater(rater, None, keep_answers=keep)
    assert (held.get().state, held.get().holder) == ("open", None)
