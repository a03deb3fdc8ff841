"""Events told from the audit: once each, without texts, names or anything written on the path of an answer."""

import json
import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.auditing import record
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Item, Study
from annotation.studies.lifecycle import close, make_live, pause
from annotation.studies.steered_items import withdraw
from parts.webhooks.background import noticing
from parts.webhooks.background.forgetting import forget_old
from parts.webhooks.background.noticing import notice
from parts.webhooks.event_kinds import EventKind
from parts.webhooks.models import AuditPosition, WebhookDelivery
from parts.webhooks.subscriptions import add_webhook, choose_events, disable_webhook, enable_webhook
from tests.conftest import make_person

ALL = EventKind.values
FORM = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ["CANARY-COMMENT"]}
pytestmark = [pytest.mark.quick, pytest.mark.both, pytest.mark.django_db(transaction=True)]
"""On PostgreSQL an entry counts once its transaction has ended."""


@pytest.fixture
def webhook(study, owner, received):
    notice()
    return add_webhook(study, owner, received.address, ALL)[0]


def noticed(webhook):
    """What was queued for the webhook since the last call: (kind, data)."""
    notice()
    notice()  # on PostgreSQL the first one finds the candidate
    rows = list(WebhookDelivery.objects.filter(webhook=webhook, tries=0, status="queued").order_by("pk"))
    WebhookDelivery.objects.filter(pk__in=[row.pk for row in rows]).update(tries=1)
    found = [(row.event, json.loads(row.body)) for row in rows]
    assert all(body["type"] == kind for kind, body in found)
    return [(kind, body["data"]) for kind, body in found]


def answer(study, person):
    given = next_assignment(study, rater_for(study, person))
    submit(given, Submission(form=FORM, revision=0, guidelines_version=1))
    return given


def test_the_status_of_a_study(study, webhook, owner):
    pause(study, owner)
    make_live(study, owner)
    close(study, owner)
    found = noticed(webhook)
    assert [kind for kind, _ in found] == ["study.paused", "study.live", "study.closed"]
    assert found[0][1] == {"study": "study"}
    assert noticed(webhook) == []


def test_answers_come_in_one_message_with_their_items(study, webhook, rater):
    keys = {answer(study, rater).task.item.key for _ in range(4)}
    assert len(keys) == 2  # an item has three tasks
    expected = {"study": "study", "count": 4, "items": sorted(keys), "more_items": 0}
    assert noticed(webhook) == [("answers.submitted", expected)]


@pytest.mark.thorough
def test_an_item_and_a_study_are_finished_once(study, webhook, rater, stranger):
    add_member(study, stranger, "annotator", None)
    noticed(webhook)
    mine = [answer(study, rater) for _ in range(6)]
    assert [kind for kind, _ in noticed(webhook)] == ["answers.submitted"]
    answered = [answer(study, stranger).task.item.key for _ in range(2)]
    assert [kind for kind, _ in noticed(webhook)] == ["answers.submitted"]
    answered.append(answer(study, stranger).task.item.key)
    [key] = set(answered)
    expected = {"study": "study", "count": 1, "items": [key], "more_items": 0}
    assert noticed(webhook)[1:] == [("items.finished", expected)]
    for _ in range(3):
        answer(study, stranger)
    assert [kind for kind, _ in noticed(webhook)] == ["answers.submitted", "items.finished", "study.finished"]
    submit(mine[0], Submission(form=FORM, revision=1, guidelines_version=1))
    assert [kind for kind, _ in noticed(webhook)] == ["answers.submitted"]


def test_a_withdrawn_item_does_not_keep_a_study_from_being_finished(study, webhook, rater, stranger, owner):
    add_member(study, stranger, "annotator", None)
    withdraw(Item.objects.get(study=study, key="item-1"), "odd", owner)
    for person in (rater, stranger):
        for _ in range(3):
            answer(study, person)
    assert [kind for kind, _ in noticed(webhook)] == ["answers.submitted", "items.finished", "study.finished"]


def test_no_message_contains_texts_or_names(study, webhook, rater, owner, received):
    given = answer(study, rater)
    with transaction.atomic():
        record("task flagged", f"task {given.task_id} of {given.rater.name}", actor=rater, study="study",
               new={"flag": "CANARY-FLAG"})  # fmt: skip
        record("study imported", "study", actor=owner, study="study", new={"items": 3, "file": "CANARY-FILE"})
        record("run ended", "judge/run-1", actor=None, study="study", new={"status": "finished"})
        record("run stopped", "judge/run-2", actor=owner, study="study")
        record("report frozen", "abc", actor=owner, study="study")
        record("study exported", "study", actor=owner, study="study", new={"format": "csv", "counts": {}})
    found = noticed(webhook)
    assert sorted(kind for kind, _ in found) == [
        "answers.submitted", "data.imported", "export.ready", "report.frozen", "run.ended", "run.ended",
        "tasks.flagged",
    ]  # fmt: skip
    assert {"study": "study", "run": "judge/run-2", "status": "stopped"} in [data for _, data in found]
    for body in WebhookDelivery.objects.values_list("body", flat=True):
        assert "CANARY" not in body
        assert given.rater.name not in body
        assert "ferry" not in body.lower()
        assert not any(name in body for name in ("owner", "rater", "likert", "system-north"))


def test_a_blinded_study_names_no_run(study, webhook):
    Study.objects.filter(pk=study.pk).update(options={"blind_researchers": True})
    record("run ended", "system-north/run-1", actor=None, study="study", new={"status": "finished"})
    assert noticed(webhook) == [("run.ended", {"study": "study", "run": None, "status": "finished"})]


def test_only_what_was_chosen_is_sent(study, webhook, owner, rater):
    choose_events(webhook, owner, ["study.closed"])
    answer(study, rater)
    close(study, owner)
    assert [kind for kind, _ in noticed(webhook)] == ["study.closed"]


def test_nothing_before_a_webhook_was_added_or_while_it_was_disabled_is_sent(study, owner, received):
    pause(study, owner)
    webhook = add_webhook(study, owner, received.address, ALL)[0]
    assert noticed(webhook) == []
    disable_webhook(webhook, owner)
    make_live(study, owner)
    noticed(webhook)
    enable_webhook(webhook, owner)
    assert noticed(webhook) == []
    close(study, owner)
    assert [kind for kind, _ in noticed(webhook)] == ["study.closed"]


def test_other_studies_are_not_told(study, webhook, make_study, owner):
    record("status changed", "other", actor=owner, study=make_study("other").slug, new={"status": "closed"})
    assert noticed(webhook) == []


def test_each_of_two_webhooks_gets_its_message(study, webhook, owner, received):
    other = add_webhook(study, owner, received.address, ["study.closed"])[0]
    close(study, owner)
    notice()
    notice()
    assert {row.webhook_id for row in WebhookDelivery.objects.all()} == {webhook.pk, other.pk}
    assert len(set(WebhookDelivery.objects.values_list("message_id"))) == 2


def test_many_entries_are_read_in_steps(study, webhook, owner, monkeypatch):
    monkeypatch.setattr(noticing, "AT_ONCE", 3)
    for number in range(10):
        record("report frozen", str(number), actor=owner, study="study")
    reports = [data["report"] for kind, data in noticed(webhook) if kind == "report.frozen"]
    assert reports == [str(number) for number in range(10)]


@pytest.mark.postgresql
def test_an_entry_that_becomes_visible_after_a_newer_one_is_not_missed(study, webhook, owner):
    """A transaction wrote its entry first and commits last."""
    if connection.vendor != "postgresql":
        pytest.skip("one transaction writes at a time")
    written, may_commit = threading.Event(), threading.Event()

    def slow():
        try:
            with transaction.atomic():
                record("report frozen", "early", actor=None, study="study")
                written.set()
                may_commit.wait(30)
        finally:
            connection.close()

    thread = threading.Thread(target=slow)
    thread.start()
    try:
        assert written.wait(30)
        record("report frozen", "late", actor=None, study="study")
        assert noticed(webhook) == []
    finally:
        may_commit.set()
        thread.join(30)
    found = [*noticed(webhook), *noticed(webhook)]
    assert [data["report"] for _, data in found] == ["early", "late"]


def test_without_webhooks_the_upkeep_is_one_query(study, owner):
    close(study, owner)
    with CaptureQueriesContext(connection) as queries:
        assert notice() == 0
    assert len(queries) == 1
    assert not AuditPosition.objects.exists()


def test_without_news_nothing_is_written(study, webhook):
    noticed(webhook)
    with CaptureQueriesContext(connection) as queries:
        notice()
    assert [one["sql"] for one in queries if not one["sql"].startswith("SELECT")] == []


def test_old_messages_are_forgotten(study, webhook, owner):
    close(study, owner)
    noticed(webhook)
    old = timezone.now() - timedelta(days=31)
    WebhookDelivery.objects.update(created_at=old)
    assert forget_old() == 0
    WebhookDelivery.objects.update(status="done", ended_at=old)
    assert forget_old() == 1


def test_the_desk_asks_nothing_for_webhooks(study, webhook, rater, make_study):
    add_member(study, make_person("second"), "annotator", None)
    given = next_assignment(study, rater_for(study, rater))
    with CaptureQueriesContext(connection) as queries:
        submit(given, Submission(form=FORM, revision=0, guidelines_version=1))
    assert [one["sql"] for one in queries if "webhook" in one["sql"].lower()] == []
