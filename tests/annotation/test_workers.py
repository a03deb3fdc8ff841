"""Where no worker is alive, pages say so within a minute and take it back by themselves: check 47."""

from datetime import timedelta

import pytest
from django.utils import timezone

from config.background.workers import ALIVE
from config.models import Worker

PAGE = "/workers/"
KEPT = "is kept and will be done"


def worker(queues, *, age=0.0, reaches_broker=True):
    now = timezone.now()
    return Worker.objects.create(
        name=queues, queues=queues, started_at=now, seen_at=now - timedelta(seconds=age), reaches_broker=reaches_broker
    )


def said(client, query=""):
    response = client.get(PAGE + query)
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def visitor(client, stranger):
    client.force_login(stranger)
    return client


def test_check_47_without_a_worker_everybody_is_told_and_what_was_sent_is_kept(visitor):
    for query, words in (("", "Answers are not being written"), ("?to=researcher", "No worker is running")):
        page = said(visitor, query)
        assert words in page
        assert KEPT in page


def test_check_47_a_worker_that_was_not_heard_of_for_a_minute_is_no_worker(visitor):
    assert timedelta(seconds=15) + ALIVE < timedelta(minutes=1)  # with the seconds between two questions of a page
    old = worker("calls,jobs", age=ALIVE.total_seconds() + 1)
    assert "No worker is running" in said(visitor, "?to=researcher")
    old.seen_at = timezone.now()
    old.save()
    for query in ("", "?to=researcher"):
        assert "notice" not in said(visitor, query)


@pytest.mark.parametrize(
    ("queues", "reaches", "researcher", "annotator"),
    [
        ("calls", True, "No worker for indexing is running", ""),
        ("jobs", True, "No worker for model calls is running", "Answers are not being written"),
        ("calls,jobs", False, "The message broker cannot be reached", "Answers are not being written"),
    ],
)
def test_check_47_each_reader_is_told_what_concerns_them(visitor, queues, reaches, researcher, annotator):
    worker(queues, reaches_broker=reaches)
    assert researcher in said(visitor, "?to=researcher")
    page = said(visitor)
    assert annotator in page
    assert ("notice" in page) is bool(annotator)


def test_a_page_is_told_anew_only_what_changed(visitor):
    page = said(visitor, "?to=researcher")
    assert 'hx-trigger="every 15s"' in page
    assert "?to=researcher&amp;seen=b" in page
    assert visitor.get(PAGE + "?to=researcher&seen=b").status_code == 204
    worker("calls,jobs")
    assert "?to=researcher&amp;seen=cjb" in said(visitor, "?to=researcher&seen=b")


def test_it_is_one_query(visitor, django_assert_num_queries):
    with django_assert_num_queries(3):  # session, person, workers
        visitor.get(PAGE)
