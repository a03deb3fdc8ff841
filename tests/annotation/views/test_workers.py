"""Pages say within a minute that no worker is alive, and stop saying so when one is back."""

from datetime import timedelta

import pytest
from django.utils import timezone

from config.background.workers import ALIVE
from config.models import Worker

pytestmark = pytest.mark.quick
PAGE = "/workers/"


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


def test_without_a_worker_pages_say_so_and_that_nothing_is_lost(visitor):
    for query, words, promise in (
        ("", "Answers are delayed", "What you sent is saved"),
        ("?to=researcher", "No worker is running", "will run in order once a worker starts"),
    ):
        page = said(visitor, query)
        assert words in page
        assert promise in page


def test_a_worker_without_a_heartbeat_for_a_minute_is_not_counted(visitor):
    assert timedelta(seconds=15) + ALIVE < timedelta(minutes=1)  # with the seconds between two requests of a page
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
        ("jobs", True, "No worker for model calls is running", "Answers are delayed"),
        ("calls,jobs", False, "The message broker cannot be reached", "Answers are delayed"),
    ],
)
def test_each_reader_sees_the_notice_that_concerns_them(visitor, queues, reaches, researcher, annotator):
    worker(queues, reaches_broker=reaches)
    assert researcher in said(visitor, "?to=researcher")
    page = said(visitor)
    assert annotator in page
    assert ("notice" in page) is bool(annotator)


def test_a_page_is_sent_only_what_changed(visitor):
    page = said(visitor, "?to=researcher")
    assert 'hx-trigger="every 15s"' in page
    assert "?to=researcher&amp;seen=b" in page
    assert visitor.get(PAGE + "?to=researcher&seen=b").status_code == 204
    worker("calls,jobs")
    assert "?to=researcher&amp;seen=cjb" in said(visitor, "?to=researcher&seen=b")


def test_the_notice_takes_one_query(visitor, django_assert_num_queries):
    with django_assert_num_queries(2):  # the session with its person, workers
        visitor.get(PAGE)
