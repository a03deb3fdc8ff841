"""What the page about models says of waiting and failed judgments, and that indexes have all that it reads."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import JudgeRun, Rater
from config.background.study_turns import heads_in_turn
from judges.background.judging import WORK
from judges.judgment_queue import first_judgments, judgment_queue
from judges.models import Judgment, RunWork
from llm.page_data import queue_rows

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def add_run(study, name, *rows, question=True):
    """Add a run with a judgment for each (status, minutes ago, reason), in this order."""
    judge, _ = Rater.objects.get_or_create(study=study, name=f"judge of {study.slug}", kind="model")
    run = JudgeRun.objects.create(rater=judge, name=name, configuration={"protocol": "llm_eval"})
    item, asked = study.items.first(), study.questions.first() if question else None
    for place, (status, ago, reason) in enumerate(rows):
        at = NOW - timedelta(minutes=ago)
        Judgment.objects.create(
            run=run, place=place, question=asked, item=item, status=status, reason=reason, created_at=at,
            ended_at=None if status in ("queued", "running") else at, outcome="invalid" if status == "done" else "",
            **({"token": "0" * 32, "lease_until": NOW} if status == "running" else {}),
        )  # fmt: skip
    return run


def test_waiting_running_and_failed_judgments_of_all_runs_of_the_study_are_counted(study, make_study):
    add_run(study, "1", ("done", 9, ""), ("queued", 8, ""), ("failed", 7, "Early."), ("failed", 3, "Late."))
    add_run(study, "2", ("queued", 6, ""), ("queued", 5, ""), ("running", 4, ""), ("failed", 5, "Between."))
    add_run(study, "labels", ("queued", 20, ""), question=False)
    add_run(make_study("other"), "1", ("queued", 60, ""), ("failed", 1, "Elsewhere."))
    found = judgment_queue(study)
    assert (found.waiting, found.running, found.failed) == (4, 1, 3)
    assert (found.oldest, found.last_failed) == (NOW - timedelta(minutes=20), NOW - timedelta(minutes=3))
    assert found.reason == "Late."
    assert found in [row.state for row in queue_rows(study) if row.label == "judgment"]


def test_a_study_without_judgments_has_an_empty_queue(study):
    found = judgment_queue(study)
    assert (found.waiting, found.running, found.failed, found.oldest, found.last_failed) == (0, 0, 0, None, None)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL reads small tables whole, whatever their indexes")
def test_no_query_reads_all_judgments(study):
    add_run(study, "1", ("queued", 8, ""), ("failed", 7, "Early."))
    with CaptureQueriesContext(connection) as queries:
        judgment_queue(study)
    assert len(queries) == 7
    plans = []
    with connection.cursor() as cursor:
        for query in queries.captured_queries:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            plans += [said for *_, said in cursor.fetchall() if "judges_judgment" in said or " U0 " in said]
    assert plans
    assert not [plan for plan in plans if not plan.startswith("SEARCH") or "judgment_" not in plan], plans


def test_the_first_due_judgment_of_each_run_that_goes_on_is_found_and_no_others(study, make_study):
    other = make_study("other")
    runs = {
        "busy": add_run(study, "1", ("done", 9, ""), ("queued", 8, ""), ("queued", 7, "")),
        "lost": add_run(other, "2", ("queued", 6, ""), ("running", 4, "")),
        "over": add_run(other, "3", ("queued", 5, "")),
        "later": add_run(other, "4", ("queued", 5, "")),
    }
    for name, run in runs.items():
        RunWork.objects.create(run=run, study=run.rater.study, settled=name == "over")
    Judgment.objects.filter(run=runs["later"]).update(due_at=timezone.now() + timedelta(hours=1))
    busy, lost = runs["busy"].judgments.get(place=1), runs["lost"].judgments.get(place=1)
    found = first_judgments(timezone.now())
    assert sorted((of, pk) for of, pk, _ in found) == [(study.pk, busy.pk), (other.pk, lost.pk)]
    assert {head.pk for head in heads_in_turn(WORK)} == {busy.pk, lost.pk}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL reads small tables whole, whatever their indexes")
def test_finding_the_first_judgments_reads_no_others(study):
    run = add_run(study, "1", ("queued", 8, ""), ("failed", 7, "Early."))
    RunWork.objects.create(run=run, study=study)
    with CaptureQueriesContext(connection) as queries:
        first_judgments(timezone.now())
    assert len(queries) == 2
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN {queries.captured_queries[0]['sql']}")
        plans = [said for *_, said in cursor.fetchall() if " U0 " in said]
    assert plans
    assert not [plan for plan in plans if "USING INDEX judgment_of_run" not in plan.replace("COVERING ", "")], plans
