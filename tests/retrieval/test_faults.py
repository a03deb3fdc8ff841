"""What goes wrong around a build: time, lost leases, the power, files that changed or are damaged."""

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
from config.background.claiming import claim, do, requeue
from config.background.work import works
from retrieval.background import building
from retrieval.errors import IndexNotReadyError, SearchError
from retrieval.indexing import WORK_KEY, ensure_index
from retrieval.model_files import READ_WHOLE, fingerprint
from retrieval.models import IndexBuild
from retrieval.searchers import bm25
from retrieval.searching import _opened, search
from tests.retrieval.conftest import add_papers, build_now

PATIENCE = 20.0


def until(condition) -> bool:
    """Whether it came to hold."""
    latest = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < latest:
        time.sleep(0.01)
    return condition()


def keepers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "lease"]


@pytest.mark.django_db
def test_a_build_beyond_its_time_limit_fails_with_a_sentence_and_is_gone_on_with(papers_study, monkeypatch):
    build, write, written = ensure_index(papers_study), bm25.BM25.write_part, []
    monkeypatch.setattr(bm25.BM25, "part_passages", 2)

    def interrupted(self, path, texts, settings):
        if len(written) == 1:
            raise SoftTimeLimitExceeded
        written.append(len(texts))
        write(self, path, texts, settings)

    monkeypatch.setattr(bm25.BM25, "write_part", interrupted)
    do(WORK_KEY, build.pk)
    build.refresh_from_db()
    said = claiming.TOO_LONG.format(settings.JOB_MINUTES)
    assert (build.status, build.reason, build.attempt, build.done) == ("failed", said, 1, 2)
    with pytest.raises(IndexNotReadyError, match="took longer"):
        search(papers_study.items.get(), "ferry")
    monkeypatch.setattr(bm25.BM25, "write_part", write)
    assert requeue(works()[WORK_KEY], build)
    do(WORK_KEY, build.pk)
    assert search(papers_study.items.get(), "ferry").hits


@pytest.mark.django_db(transaction=True)
def test_a_long_step_keeps_its_lease(papers_study):
    work = replace(works()[WORK_KEY], lease=timedelta(seconds=0.2))
    taken = claim(work, ensure_index(papers_study).pk)
    rows = IndexBuild.objects.filter(pk=taken.row.pk)
    begun = rows.get().lease_until
    with taken.kept():
        assert until(lambda: rows.get().lease_until > begun)
    assert not keepers()


@pytest.mark.django_db(transaction=True)
def test_check_45_a_long_step_whose_row_somebody_else_has_gives_no_sign_of_life(papers_study):
    work = replace(works()[WORK_KEY], lease=timedelta(seconds=0.2))
    taken = claim(work, ensure_index(papers_study).pk)
    theirs = timezone.now() + timedelta(hours=1)
    rows = IndexBuild.objects.filter(pk=taken.row.pk)
    with taken.kept():
        rows.update(token=uuid4(), lease_until=theirs)
        assert until(lambda: not keepers())
    assert rows.get().lease_until == theirs


@pytest.mark.django_db
def test_parts_and_assembly_keep_the_lease(papers_study, monkeypatch):
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
def test_check_44_a_part_is_on_the_disk_before_it_has_its_name(papers_study, monkeypatch):
    synced, named = [], []
    sync, give_name = building.sync, building.os.replace
    monkeypatch.setattr(building, "sync", lambda path: (synced.append(path), sync(path)))
    monkeypatch.setattr(building.os, "replace", lambda old, new: (named.append(old in synced), give_name(old, new)))
    build_now(papers_study)
    assert named == [True]


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["items.npy", "params.index.json", "data.csc.index.npy"])
@pytest.mark.parametrize("content", [b"", b"\x93NUMPY\x01\x00 nonsense", b'{"a": '])
def test_a_damaged_index_is_said_and_can_be_built_anew(indexed, name, content):
    item, build = indexed.items.first(), IndexBuild.objects.get()
    before = search(item, "ferry").hits
    (build.files / name).write_bytes(content)
    _opened.cache_clear()
    with pytest.raises(SearchError, match=f"damaged.*{build.folder}"):
        search(item, "ferry")
    shutil.rmtree(build.place)
    assert build_now(indexed).number == 2
    assert search(item, "ferry").hits == before


def test_weights_of_the_same_size_are_told_apart(tmp_path):
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
def test_a_killed_build_is_taken_up_again_two_minutes_after_its_last_sign_of_life(papers_study):
    add_papers(papers_study, "q2", {"whales": ["Whales sing."]})
    taken = claim(works()[WORK_KEY], ensure_index(papers_study).pk)
    assert taken.row.lease_until - timezone.now() <= timedelta(minutes=2)
