"""Builds of indexes: one per content, continued after a kill, switched atomically, never visible before completion."""

import shutil
import threading

import numpy as np
import pytest
from django.db import IntegrityError, connection, transaction

from config.background import claiming
from config.background.claiming import ask_to_stop, process_row, requeue, run_waiting
from config.background.kinds import ClaimLostError, works
from retrieval.background import index_building
from retrieval.index_builds import KEPT, UNUSED_AFTER, WORK_KEY, ensure_index, remove_unused
from retrieval.index_layout import layout_of
from retrieval.models import IndexBuild
from retrieval.numbering import NO_ROW, Numbering
from retrieval.search_errors import IndexNotReadyError, SearchError
from retrieval.searchers import bm25
from retrieval.searching import _opened, current_build, search
from tests.retrieval.conftest import PAPERS, add_papers, build_now

pytestmark = [pytest.mark.quick, pytest.mark.django_db]


class KilledError(BaseException):
    """Simulates the kill of a worker."""


def many(number: int) -> dict[str, list[str]]:
    return {f"p{number}": [f"Passage {number}-{place} speaks of word{number}x{place}." for place in range(10)]}


@pytest.fixture
def small_parts(monkeypatch):
    """Parts of four passages, and the number of parts written."""
    written, write = [], bm25.BM25.write_part
    monkeypatch.setattr(bm25.BM25, "part_passages", 4)

    def counted(self, path, texts, settings):
        write(self, path, texts, settings)
        written.append(len(texts))

    monkeypatch.setattr(bm25.BM25, "write_part", counted)
    return written


def test_a_study_without_papers_needs_no_index(study):
    assert ensure_index(study) is None
    with pytest.raises(IndexNotReadyError):
        search(study.items.first(), "ferry")


def test_a_build_is_queued_and_shows_its_progress(papers_study):
    build = ensure_index(papers_study)
    assert (build.status, build.number, build.is_current) == ("queued", 1, False)
    with pytest.raises(IndexNotReadyError, match="being indexed"):
        search(papers_study.items.get(), "ferry")
    run_waiting()
    build.refresh_from_db()
    assert (build.status, build.done, build.total, build.is_current) == ("done", 6, 6, True)


def test_the_same_content_is_not_built_twice(indexed):
    first = IndexBuild.objects.get()
    assert ensure_index(indexed) == first
    assert IndexBuild.objects.count() == 1


def test_two_requests_before_the_build_make_one_build(papers_study):
    assert ensure_index(papers_study) == ensure_index(papers_study)


def test_searches_use_the_old_build_until_the_new_one_is_finished(indexed):
    old = search(indexed.items.first(), "ferry").index
    later = add_papers(indexed, "q2", {"whales": ["Whales sing."]})
    build = ensure_index(indexed)
    assert build.number == 2
    assert search(indexed.items.first(), "ferry").index == old
    with pytest.raises(IndexNotReadyError, match="being rebuilt"):
        search(later, "whales")
    run_waiting()
    assert search(later, "whales").hits[0].text == "Whales sing."
    assert search(indexed.items.first(), "ferry").index.startswith("2:")
    assert IndexBuild.objects.filter(is_current=True).count() == 1


def test_a_waiting_build_of_older_content_is_stopped(papers_study):
    first = ensure_index(papers_study)
    add_papers(papers_study, "q2", {"whales": ["Whales sing."]})
    second = ensure_index(papers_study)
    first.refresh_from_db()
    assert (first.status, second.status) == ("stopped", "queued")
    run_waiting()
    second.refresh_from_db()
    assert second.is_current


def test_an_unknown_searcher_is_named(papers_study):
    papers_study.options = {"searcher": "oracle"}
    papers_study.save()
    with pytest.raises(SearchError, match="bm25 or dense"):
        ensure_index(papers_study)
    with pytest.raises(SearchError, match="bm25 or dense"):
        search(papers_study.items.get(), "x")


def test_papers_without_text_fail_with_a_sentence(study):
    add_papers(study, "blank", {"p": ["", "  \n"]})
    build = build_now(study)
    assert (build.status, build.reason) == ("failed", index_building.NO_PAPERS)
    with pytest.raises(IndexNotReadyError, match="papers have no text"):
        search(study.items.get(key="blank"), "x")
    assert ensure_index(study) == build


def test_a_killed_build_continues_with_its_finished_parts(papers_study, small_parts, monkeypatch):
    for number in range(4):
        add_papers(papers_study, f"many-{number}", many(number))
    build, write = ensure_index(papers_study), bm25.BM25.write_part

    def killed_at_the_sixth(self, path, texts, settings):
        if len(small_parts) == 5:
            path.write_text('[["half')
            raise KilledError
        write(self, path, texts, settings)

    monkeypatch.setattr(bm25.BM25, "write_part", killed_at_the_sixth)
    with pytest.raises(KilledError):
        process_row(WORK_KEY, build.pk)
    build.refresh_from_db()
    assert (build.status, build.done, build.total) == ("running", 20, 46)
    with pytest.raises(IndexNotReadyError):
        search(papers_study.items.first(), "ferry")
    monkeypatch.setattr(bm25.BM25, "write_part", write)
    IndexBuild.objects.update(lease_until=build.started_at)
    run_waiting()
    build.refresh_from_db()
    assert (build.status, build.attempt, build.done) == ("done", 2, 46)
    assert len(small_parts) == 12  # of 46 passages, each written once
    item = papers_study.items.get(key="many-3")
    assert search(item, "word3x9").hits[0].paragraph == 9
    assert {path.name for path in build.place.iterdir()} == {"parts", build.edition}
    assert len(list((build.place / "parts").iterdir())) == 12


def test_a_worker_that_lost_its_claim_changes_nothing(papers_study, monkeypatch):
    build = ensure_index(papers_study)
    first = claiming.claim(works()[WORK_KEY], build.pk)
    IndexBuild.objects.update(lease_until=build.created_at)
    run_waiting()
    done = IndexBuild.objects.get()
    assert done.is_current
    with pytest.raises(ClaimLostError):
        index_building.build(first)
    assert IndexBuild.objects.get().edition == done.edition
    assert search(papers_study.items.get(), "ferry").hits


def test_a_stopped_build_can_be_continued(papers_study, small_parts, monkeypatch):
    build, write = ensure_index(papers_study), bm25.BM25.write_part

    def stopping(self, path, texts, settings):
        write(self, path, texts, settings)
        ask_to_stop(works()[WORK_KEY], IndexBuild.objects.get())

    monkeypatch.setattr(bm25.BM25, "write_part", stopping)
    run_waiting()
    build.refresh_from_db()
    assert (build.status, build.is_current) == ("stopped", False)
    monkeypatch.setattr(bm25.BM25, "write_part", write)
    assert requeue(works()[WORK_KEY], build)
    run_waiting()
    build.refresh_from_db()
    assert (build.status, build.is_current) == ("done", True)


def test_a_new_build_reuses_the_parts_of_the_last_one(papers_study, small_parts):
    for number in range(4):
        add_papers(papers_study, f"many-{number}", many(number))
    build_now(papers_study)
    before = len(small_parts)
    add_papers(papers_study, "more", many(9))
    build_now(papers_study)
    assert before == 12
    assert len(small_parts) - before == 3  # the last one was not full; ten passages more


def test_an_open_index_can_be_searched_after_its_files_are_removed(indexed):
    item, old = indexed.items.first(), current_build(indexed)
    before = search(item, "ferry")
    shutil.rmtree(old.place)
    assert search(item, "ferry") == before  # it has them open
    _opened.cache_clear()
    with pytest.raises(IndexNotReadyError, match="files of bm25 index 1"):
        search(item, "ferry")
    again = build_now(indexed)
    assert (again.number, again.status) == (2, "done")
    assert search(item, "ferry").hits == before.hits


def test_only_unused_builds_lose_their_files(papers_study):
    builds = []
    for number in range(4):
        add_papers(papers_study, f"many-{number}", many(number))
        builds.append(build_now(papers_study))
    assert all(build.files.is_dir() for build in builds)
    for build in builds:
        IndexBuild.objects.filter(pk=build.pk).update(ended_at=build.ended_at - 2 * UNUSED_AFTER)
    remove_unused(papers_study, "bm25")
    assert [build.files.is_dir() for build in builds] == [False, False, True, True]
    assert IndexBuild.objects.exclude(folder="").count() == KEPT
    assert search(papers_study.items.last(), "word3x1").hits


def test_earlier_content_or_settings_reuse_their_build(indexed, monkeypatch):
    first = IndexBuild.objects.get()
    monkeypatch.setattr(bm25, "K1", 0.9)
    second = build_now(indexed)
    assert second.number == 2
    monkeypatch.undo()
    assert ensure_index(indexed) == first
    assert list(IndexBuild.objects.filter(is_current=True)) == [first]


def test_an_index_of_other_settings_is_not_searched(indexed, monkeypatch):
    monkeypatch.setattr(bm25, "B", 0.5)
    with pytest.raises(IndexNotReadyError):
        search(indexed.items.first(), "ferry")


def test_the_database_allows_one_complete_current_build(indexed):
    build = IndexBuild.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        IndexBuild.objects.create(
            study=indexed, searcher="bm25", number=2, digest="d", folder="f", edition="e", is_current=True,
            status="done", ended_at=build.ended_at,
        )  # fmt: skip
    for broken in ({"folder": ""}, {"edition": ""}, {"status": "failed"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            IndexBuild.objects.filter(pk=build.pk).update(**broken)


def test_no_file_of_an_index_is_a_pickle(indexed):
    build = IndexBuild.objects.get()
    for path in build.place.rglob("*"):
        if path.suffix == ".npy":
            np.load(path, allow_pickle=False)
        else:
            assert path.is_dir() or path.suffix == ".json"


def test_repeated_and_blank_texts_have_no_row():
    numbering = Numbering()
    numbering.add(3, ["a", "", "b", "a", " "])
    numbering.add(7, [])
    numbering.add(9, ["b", "c"])
    layout = layout_of(numbering)
    assert layout.rows_of(3).tolist() == [0, NO_ROW, 1, NO_ROW, NO_ROW]
    assert layout.rows_of(7).tolist() == []
    assert layout.rows_of(9).tolist() == [1, 2]
    assert layout.rows_of(4) is None
    assert layout.rows_of(10) is None


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_searches_succeed_while_builds_are_being_replaced(papers_study):
    item = papers_study.items.get()
    build_now(papers_study)
    ended, ending = [], threading.Event()

    def searching():
        made = 0
        try:
            while not ending.is_set():
                (first, *_) = search(item, "night train").hits
                made += first.text == PAPERS["trains"][0]
        finally:
            ended.append(ending.is_set() and made)
            connection.close()

    threads = [threading.Thread(target=searching) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(6):
        add_papers(papers_study, f"many-{number}", many(number))
        build_now(papers_study)
    ending.set()
    for thread in threads:
        thread.join(timeout=30)
    assert len(ended) == 4
    assert all(ended)  # none ended early, by an error
    assert IndexBuild.objects.get(is_current=True).number == 7
