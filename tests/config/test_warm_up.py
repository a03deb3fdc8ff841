"""A web process starts with all templates compiled, and also if one of them is broken."""

import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from queue import Queue

import pytest
from django.db import OperationalError
from django.urls import URLResolver, clear_url_caches, reverse
from django.utils import translation

import config.warm_up as warm_up_module
from config.part import Part
from config.warm_up import warm_up, warm_up_thread


def test_a_broken_template_is_logged_and_the_others_are_compiled(settings, tmp_path, caplog):
    for name, text in {"a.html": "{% if %}", "b.html": "{% nothing %}", "c.html": "fine"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "d.html").write_bytes(b"\xff")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    gc.disable()  # as gunicorn.conf.py does while it loads the program
    try:
        warm_up()
        collects = gc.isenabled()
    finally:
        gc.unfreeze()
        gc.enable()
    assert collects
    named = [record.getMessage() for record in caplog.records if record.exc_info]
    assert named == [f"The template {name}.html does not compile." for name in "abd"]


@pytest.mark.thorough
def test_the_first_visitor_waits_for_no_table_of_addresses_in_any_language(settings, tmp_path, monkeypatch):
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    clear_url_caches()
    try:
        warm_up()
    finally:
        gc.unfreeze()
    monkeypatch.setattr(URLResolver, "_populate", lambda resolver: pytest.fail("made while a visitor waits"))
    for language, _ in settings.LANGUAGES:
        with translation.override(language):
            assert reverse("annotation:home") == "/"
            assert reverse("accounts:sign_in")


def test_all_threads_warm_up_before_any_of_them_begins_to_answer(monkeypatch):
    done = Queue()
    part = Part()
    part.warm_up_thread = lambda: done.put(threading.get_ident())
    monkeypatch.setattr(warm_up_module, "parts", lambda: (part,))
    threads, all_there = 4, threading.Barrier(4)
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(threads):
            pool.submit(warm_up_thread, all_there)
    assert len({done.get_nowait() for _ in range(threads)}) == threads


def test_a_thread_without_a_database_goes_on(monkeypatch, caplog):
    def fail():
        raise OperationalError("gone")

    part = Part()
    part.warm_up_thread = fail
    monkeypatch.setattr(warm_up_module, "parts", lambda: (part,))
    monkeypatch.setattr(warm_up_module, "PATIENCE", 0.01)
    warm_up_thread(threading.Barrier(2))
    assert [record.getMessage() for record in caplog.records] == [
        "A thread could not use the database before its first request.",
        "Not all threads were ready in time.",
    ]
