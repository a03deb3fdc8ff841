"""Trial searches are queued and done by a worker, with hits or a reason."""

import pytest

from config.background.claiming import run_waiting
from config.background.kinds import works
from retrieval.searching import search
from retrieval.trial_searches import WORK_KEY, try_search

pytestmark = pytest.mark.django_db


def test_a_trial_search_finds_what_a_session_would_find(indexed, owner):
    item = indexed.items.get()
    row = try_search(item, "night train", owner, k=2)
    assert (row.status, row.hits) == ("queued", None)
    run_waiting()
    row.refresh_from_db()
    found = search(item, "night train", k=2)
    assert row.status == "done"
    assert [(hit["document"], hit["paragraph"], hit["rank"], hit["text"]) for hit in row.hits] == [
        (hit.document, hit.paragraph, hit.rank, hit.text) for hit in found.hits
    ]
    assert (row.searcher, row.index) == (found.searcher, found.index)


def test_a_trial_search_without_an_index_shows_the_reason(papers_study, owner):
    row = try_search(papers_study.items.get(), "night train", owner)
    run_waiting()
    row.refresh_from_db()
    assert row.status == "failed"
    assert "being indexed" in row.reason


def test_searches_use_the_queue_of_calls_and_builds_the_queue_of_jobs():
    assert works()[WORK_KEY].queue == "calls"
    assert works()["index_build"].queue == "jobs"
