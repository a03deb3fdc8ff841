"""Searches that researchers try: queued, done by a worker, with the hits or a sentence."""

import pytest

from config.background.claiming import run_waiting
from config.background.work import works
from retrieval.searching import search
from retrieval.trying import WORK_KEY, try_search

pytestmark = pytest.mark.django_db


def test_a_tried_search_gets_the_hits_that_a_session_would_get(indexed, owner):
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


def test_a_tried_search_without_an_index_says_why(papers_study, owner):
    row = try_search(papers_study.items.get(), "night train", owner)
    run_waiting()
    row.refresh_from_db()
    assert row.status == "failed"
    assert "being prepared" in row.reason


def test_searches_are_done_by_the_threads_that_wait_and_builds_by_processes():
    assert works()[WORK_KEY].queue == "calls"
    assert works()["index_build"].queue == "jobs"
