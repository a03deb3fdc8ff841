"""Requests with one idempotency key at the same time, and after a process was killed, on both databases."""

import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.members.tokens import issue_account_token
from annotation.models import KeptResponse, Study
from api.background import response_upkeep
from api.requests import once_per_key
from api.studies import state_verbs
from tests.api.conftest import Program
from tests.conftest import live_study, make_person

AT_ONCE = 6
STUDY = "/api/studies/study/"
FILE = {"slug": "ferries", "protocol": "rating", "redundancy": 1, "questions": [{"key": "good", "type": "text"}]}


@pytest.fixture
def secret(transactional_db):
    owner = make_person("owner", is_staff=True)
    live_study(owner, make_person("rater"))
    return issue_account_token(owner, name="one", scope="write", makes_studies=True)


def send(secret, path, body, key="one"):
    """Send a request as a client that waits while the first one is under way; return status and body."""
    program = Program(secret)
    for _ in range(200):
        response = program.post(
            path, json.dumps(body), content_type="application/json", headers={"Idempotency-Key": key}
        )
        if response.status_code not in (409, 503):
            break
    return response.status_code, response.content


def at_once(call):
    start = Barrier(AT_ONCE)

    def one(_):
        start.wait()
        try:
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(one, range(AT_ONCE)))


@pytest.mark.django_db(transaction=True)
def test_requests_with_one_key_at_the_same_time_do_the_work_once(secret):
    told = at_once(lambda: send(secret, "/api/studies/", FILE))
    assert len(set(told)) == 1
    assert told[0][0] == 201
    assert Study.objects.filter(slug="ferries").count() == 1
    told = at_once(lambda: send(secret, f"{STUDY}states/", {"verb": "pause"}, "two"))
    assert [status for status, _ in told] == [200] * AT_ONCE
    assert AuditEntry.objects.filter(action="status changed", study="study").count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_process_killed_before_its_commit_leaves_neither_work_nor_response(secret, monkeypatch):
    def killed(row, response):
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(once_per_key, "_store", killed)
        # A killed process runs no more code: its claim stays.
        patch.setattr(KeptResponse.objects, "filter", lambda **which: KeptResponse.objects.none())
        with pytest.raises(SystemExit):
            Program(secret).post(f"{STUDY}states/", json.dumps({"verb": "pause"}), content_type="application/json",
                                 headers={"Idempotency-Key": "one"})  # fmt: skip
    assert Study.objects.get(slug="study").status == "live"
    kept = KeptResponse.objects.get()
    assert kept.status is None
    program = Program(secret)
    body, about = json.dumps({"verb": "pause"}), {"content_type": "application/json"}
    waiting = program.post(f"{STUDY}states/", body, **about, headers={"Idempotency-Key": "one"})
    assert (waiting.status_code, waiting["Retry-After"]) == (409, "2")
    KeptResponse.objects.update(begun_at=timezone.now() - once_per_key.ABANDONED - timedelta(seconds=1))
    assert send(secret, f"{STUDY}states/", {"verb": "pause"})[0] == 200
    assert Study.objects.get(slug="study").status == "paused"


@pytest.mark.django_db(transaction=True)
def test_a_process_that_lost_its_key_undoes_its_work(secret, monkeypatch):
    take, said = state_verbs.BY_RESEARCHERS["pause"]

    def slow(study, reason, person):
        take(study, reason, person)
        KeptResponse.objects.update(attempt=uuid.uuid4())  # as another process that took the key over would

    monkeypatch.setattr(state_verbs, "BY_RESEARCHERS", {**state_verbs.BY_RESEARCHERS, "pause": (slow, said)})
    response = Program(secret).post(f"{STUDY}states/", json.dumps({"verb": "pause"}), content_type="application/json",
                                    headers={"Idempotency-Key": "one"})  # fmt: skip
    assert response.status_code == 409
    assert Study.objects.get(slug="study").status == "live"


@pytest.mark.django_db(transaction=True)
def test_a_key_is_free_again_after_a_day(secret):
    assert send(secret, f"{STUDY}states/", {"verb": "pause"})[0] == 200
    KeptResponse.objects.update(begun_at=timezone.now() - timedelta(hours=25))
    assert response_upkeep.forget_old_responses() == 1
    assert send(secret, f"{STUDY}states/", {"verb": "resume"})[0] == 200
