"""Builds of indexes: one for each content, gone on with after a kill, switched at once, never seen half made."""

import shutil
import threading

import numpy as np
import pytest
from django.db import IntegrityError, connection, transaction

from config.background import claiming
from config.background.claiming import ask_to_stop, do, requeue, run_waiting
from config.background.work import ClaimLostError, works
from retrieval.background import building
from retrieval.errors import IndexNotReadyError, SearchError
from retrieval.indexing import KEPT, UNUSED_AFTER, WORK_KEY, ensure_index, remove_unused
from retrieval.layout import NO_ROW, Numbering
from retrieval.models import IndexBuild
from retrieval.searchers import bm25
from retrieval.searching import _opened, current_build, search
from tests.retrieval.conftest import PAPERS, add_papers, build_now

pytestmark = pytest.mark.django_db


class KilledError(BaseException):
    """What ends a worker without asking it."""


def many(number: int) -> dict[str, list[str]]:
    return {f"p{number}": [f"Passage {number}-{place} speaks of word{number}x{place}." for place in range(10)]}


@pytest.fixture
def small_parts(monkeypatch):
    """Parts of four passages, and a count of those that are written."""
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


def test_a_build_is_queued_and_says_how_far_it_is(papers_study):
    build = ensure_index(papers_study)
    assert (build.status, build.number, build.is_current) == ("queued", 1, False)
    with pytest.raises(IndexNotReadyError, match="being prepared"):
        search(papers_study.items.get(), "ferry")
    run_waiting()
    build.refresh_from_db()
    assert (build.status, build.done, build.total, build.is_current) == ("done", 6, 6, True)


def test_the_same_content_makes_no_second_build(indexed):
    first = IndexBuild.objects.get()
    assert ensure_index(indexed) == first
    assert IndexBuild.objects.count() == 1


def test_asking_twice_before_it_is_built_makes_one_build(papers_study):
    assert ensure_index(papers_study) == ensure_index(papers_study)


def test_new_papers_make_a_new_build_while_the_old_one_serves(indexed):
    old = search(indexed.items.first(), "ferry").index
    later = add_papers(indexed, "q2", {"whales": ["Whales sing."]})
    build = ensure_index(indexed)
    assert build.number == 2
    assert search(indexed.items.first(), "ferry").index == old
    with pytest.raises(IndexNotReadyError, match="built anew"):
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


def test_papers_of_blanks_alone_fail_with_a_sentence(study):
    add_papers(study, "blank", {"p": ["", "  \n"]})
    build = build_now(study)
    assert (build.status, build.reason) == ("failed", building.NO_PAPERS)
    with pytest.raises(IndexNotReadyError, match="no papers with text"):
        search(study.items.get(key="blank"), "x")
    assert ensure_index(study) == build


def test_check_44_a_killed_build_goes_on_with_the_parts_that_are_there(papers_study, small_parts, monkeypatch):
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
        do(WORK_KEY, build.pk)
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


def test_check_45_who_lost_the_claim_changes_nothing(papers_study, monkeypatch):
    build = ensure_index(papers_study)
    first = claiming.claim(works()[WORK_KEY], build.pk)
    IndexBuild.objects.update(lease_until=build.created_at)
    run_waiting()
    done = IndexBuild.objects.get()
    assert done.is_current
    with pytest.raises(ClaimLostError):
        building.build(first)
    assert IndexBuild.objects.get().edition == done.edition
    assert search(papers_study.items.get(), "ferry").hits


def test_a_build_that_is_told_to_stop_stops_and_can_be_gone_on_with(papers_study, small_parts, monkeypatch):
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


def test_a_new_build_takes_over_the_parts_of_the_last_one(papers_study, small_parts):
    for number in range(4):
        add_papers(papers_study, f"many-{number}", many(number))
    build_now(papers_study)
    before = len(small_parts)
    add_papers(papers_study, "more", many(9))
    build_now(papers_study)
    assert before == 12
    assert len(small_parts) - before == 3  # the last one was not full; ten passages more


def test_a_reader_with_the_old_index_goes_on_when_its_files_are_removed(indexed):
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


def test_only_builds_that_nobody_can_be_using_lose_their_files(papers_study):
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


def test_going_back_to_earlier_content_or_settings_takes_the_build_that_is_there(indexed, monkeypatch):
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


def test_the_database_keeps_one_current_and_whole_build(indexed):
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


def test_texts_that_come_again_and_blank_ones_have_no_row():
    numbering = Numbering()
    numbering.add(3, ["a", "", "b", "a", " "])
    numbering.add(7, [])
    numbering.add(9, ["b", "c"])
    layout = numbering.layout()
    assert layout.rows_of(3).tolist() == [0, NO_ROW, 1, NO_ROW, NO_ROW]
    assert layout.rows_of(7).tolist() == []
    assert layout.rows_of(9).tolist() == [1, 2]
    assert layout.rows_of(4) is None
    assert layout.rows_of(10) is None


@pytest.mark.django_db(transaction=True)
def test_threads_that_search_while_builds_change_always_find_their_papers(papers_study):
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
