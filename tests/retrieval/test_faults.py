"""Faults during a build: time limits, lost leases, power cuts, changed or damaged files."""

import shutil
import threading
import time
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.utils import timezone

from config.background import claiming
from config.background.claiming import claim, process_row, requeue
from config.background.kinds import works
from retrieval.background import index_building
from retrieval.index_builds import WORK_KEY, ensure_index
from retrieval.model_files import READ_WHOLE, fingerprint
from retrieval.models import IndexBuild
from retrieval.search_errors import IndexNotReadyError, SearchError
from retrieval.searchers import bm25
from retrieval.searching import _opened, search
from tests.retrieval.conftest import add_papers, build_now

PATIENCE = 20.0


def until(condition) -> bool:
    """Return whether the condition became true in time."""
    latest = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < latest:
        time.sleep(0.01)
    return condition()


def keepers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "lease"]


@pytest.mark.django_db
def test_a_build_that_exceeds_its_time_limit_fails_and_a_retry_continues_it(papers_study, monkeypatch):
    build, write, written = ensure_index(papers_study), bm25.BM25.write_part, []
    monkeypatch.setattr(bm25.BM25, "part_passages", 2)

    def interrupted(self, path, texts, settings):
        if len(written) == 1:
            raise SoftTimeLimitExceeded
        written.append(len(texts))
        write(self, path, texts, settings)

    monkeypatch.setattr(bm25.BM25, "write_part", interrupted)
    process_row(WORK_KEY, build.pk)
    build.refresh_from_db()
    said = claiming.TOO_LONG.format(settings.JOB_MINUTES)
    assert (build.status, build.reason, build.attempt, build.done) == ("failed", said, 1, 2)
    with pytest.raises(IndexNotReadyError, match="took longer"):
        search(papers_study.items.get(), "ferry")
    monkeypatch.setattr(bm25.BM25, "write_part", write)
    assert requeue(works()[WORK_KEY], build)
    process_row(WORK_KEY, build.pk)
    assert search(papers_study.items.get(), "ferry").hits


@pytest.mark.django_db(transaction=True)
def test_the_lease_is_renewed_during_a_long_step(papers_study):
    work = replace(works()[WORK_KEY], lease=timedelta(seconds=0.2))
    taken = claim(work, ensure_index(papers_study).pk)
    rows = IndexBuild.objects.filter(pk=taken.row.pk)
    begun = rows.get().lease_until
    with taken.kept_alive():
        assert until(lambda: rows.get().lease_until > begun)
    assert not keepers()


@pytest.mark.django_db(transaction=True)
def test_a_long_step_stops_renewing_a_lease_that_it_has_lost(papers_study):
    work = replace(works()[WORK_KEY], lease=timedelta(seconds=0.2))
    taken = claim(work, ensure_index(papers_study).pk)
    theirs = timezone.now() + timedelta(hours=1)
    rows = IndexBuild.objects.filter(pk=taken.row.pk)
    with taken.kept_alive():
        rows.update(token=uuid4(), lease_until=theirs)
        assert until(lambda: not keepers())
    assert rows.get().lease_until == theirs


@pytest.mark.django_db
def test_writing_parts_and_assembling_renew_the_lease(papers_study, monkeypatch):
    seen = []
    for name in ("write_part", "assemble"):
        real = getattr(bm25.BM25, name)

        def noted(self, *given, real=real, name=name):
            seen.append((name, len(keepers())))
            return real(self, *given)

        monkeypatch.setattr(bm25.BM25, name, noted)
    build_now(papers_study)
    assert seen == [("write_part", 1), ("assemble", 1)]


@pytest.mark.django_db
def test_a_part_is_flushed_to_the_disk_before_it_gets_its_name(papers_study, monkeypatch):
    synced, named = [], []
    sync, give_name = index_building.sync, index_building.os.replace
    monkeypatch.setattr(index_building, "sync", lambda path: (synced.append(path), sync(path)))
    monkeypatch.setattr(
        index_building.os, "replace", lambda old, new: (named.append(old in synced), give_name(old, new))
    )
    build_now(papers_study)
    assert named == [True]


@pytest.mark.thorough
@pytest.mark.django_db
@pytest.mark.parametrize("name", ["items.npy", "params.index.json", "data.csc.index.npy"])
@pytest.mark.parametrize("content", [b"", b"\x93NUMPY\x01\x00 nonsense", b'{"a": '])
def test_a_damaged_index_is_reported_and_can_be_rebuilt(indexed, name, content):
    item, build = indexed.items.first(), IndexBuild.objects.get()
    before = search(item, "ferry").hits
    (build.files / name).write_bytes(content)
    _opened.cache_clear()
    with pytest.raises(SearchError, match=f"damaged.*{build.folder}"):
        search(item, "ferry")
    shutil.rmtree(build.place)
    assert build_now(indexed).number == 2
    assert search(item, "ferry").hits == before


def test_different_weights_of_the_same_size_are_distinguished(tmp_path):
    weights = tmp_path / "model.safetensors"
    content = bytearray(3 * READ_WHOLE)
    weights.write_bytes(content)
    before = fingerprint(tmp_path)
    assert fingerprint(tmp_path) == before
    for place in range(0, len(content), 4096):
        content[place] = 1
    weights.write_bytes(content)
    assert fingerprint(tmp_path) != before


@pytest.mark.django_db
def test_a_killed_build_is_retried_when_its_lease_of_two_minutes_ends(papers_study):
    add_papers(papers_study, "q2", {"whales": ["Whales sing."]})
    taken = claim(works()[WORK_KEY], ensure_index(papers_study).pk)
    assert taken.row.lease_until - timezone.now() <= timedelta(minutes=2)
