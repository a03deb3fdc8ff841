"""A real browser at a real server. Skipped by name if there is no Chromium (CHROMIUM names another one).

Several processes may run these tests: each has a browser, a server on a free port and a database of its own.
"""

import fcntl
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import handlers
from django.contrib.staticfiles.views import serve as serve_source
from django.core.management import call_command
from django.db import connections
from django.template import engines
from django.test import Client, override_settings
from django.views.static import serve
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from annotation.desk.assigning import next_assignment
from annotation.members.membership import rater_for
from annotation.models import Annotation, Assignment

CHROMIUM = Path(os.environ.get("CHROMIUM", "/usr/bin/chromium"))
QUIET = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync"]
# Two features of Chromium's own window, which nobody sees: each context opens one, and renders its address bar in a
# process of its own, which takes longer than our page. A second list replaces Playwright's, so the rest is repeated.
WITHOUT = (
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades", "LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning", "OptimizationHints",
    "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch",
)  # fmt: skip
SERVED = pytest.StashKey[tuple[ExitStack, Path]]()
"""Where a run keeps what serves the collected files, and their folder."""
LONGEST_WAIT = 60_000
"""Milliseconds. Nothing is expected to take this long: a busy machine must not fail a test."""
AXE_VERSION = "4.14.1"
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "interrater-tests"


WIDE = 1366
OF_RESEARCHERS = (
    "test_admin.py", "test_building.py", "test_engine_pages.py", "test_judge_pages.py", "test_leaderboard.py",
    "test_new_studies.py", "test_preparing.py", "test_review.py", "test_session_report.py", "test_uploads.py",
    "test_watching.py",
)  # fmt: skip
"""Tests of pages of researchers, which axe reads in make thorough alone: they are many, and annotators' come first."""


def pytest_collection_modifyitems(items):
    """Leave to make thorough what axe finds on pages of researchers, and on other pages at the wider of two widths."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            given = item.callspec.params if hasattr(item, "callspec") else {}
            wide = WIDE in (given.get("width"), *given.get("size", ()))
            if "axe" in item.name and (wide or item.path.name in OF_RESEARCHERS):
                item.add_marker(pytest.mark.thorough)


@pytest.fixture(scope="session")
def browser() -> Browser:
    if not CHROMIUM.exists():
        pytest.skip(f"no Chromium at {CHROMIUM}: install it, or name another in CHROMIUM")
    expect.set_options(timeout=LONGEST_WAIT)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=[*QUIET, f"--disable-features={','.join(WITHOUT)}"]
        )
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def collected(request, _quick_settings, tmp_path_factory) -> Path:
    """The folder of the static files as `collectstatic` makes them; pages ask for these: few, with scripts in bundles.

    Files of the sources are served too, under their own names, to tests that import a single module. This stays until
    a test of another folder comes, whose pages have the names of the sources.
    """
    kept = request.config.stash
    if SERVED not in kept:
        stack = ExitStack()
        kept[SERVED] = stack, stack.enter_context(_served(tmp_path_factory.mktemp("collected")))
    return kept[SERVED][1]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    if SERVED in item.config.stash and (nextitem is None or Path(__file__).parent not in nextitem.path.parents):
        item.config.stash[SERVED][0].close()
        del item.config.stash[SERVED]


@contextmanager
def _served(folder: Path) -> Iterator[Path]:
    storages = settings.STORAGES | {"staticfiles": {"BACKEND": "config.static_files.HashedStaticFiles"}}

    def serve_one(request, path, insecure):
        if (folder / path).is_file():
            return serve(request, path, document_root=folder)
        return serve_source(request, path, insecure=insecure)

    with override_settings(STATIC_ROOT=folder, STORAGES=storages), pytest.MonkeyPatch.context() as patch:
        call_command("collectstatic", interactive=False, verbosity=0)
        patch.setattr(handlers, "serve", serve_one)
        _forget_templates()
        yield folder
    _forget_templates()


def _forget_templates():
    """Templates keep parts with the names of static files, which are others in other tests."""
    for loader in engines["django"].engine.template_loaders:
        loader.reset()


class Desk:
    """One person's browser. `faults` holds what no test wants: errors in scripts, dialogs, foreign requests."""

    def __init__(self, browser: Browser, address: str, **options) -> None:
        self.address, self.faults = address, []
        options = {
            "viewport": {"width": 1366, "height": 768}, "locale": "en-US", "timezone_id": "Europe/Berlin", **options
        }  # fmt: skip
        self.context: BrowserContext = browser.new_context(**options)
        self.context.set_default_timeout(LONGEST_WAIT)
        self.context.on("request", self._asked)
        self.context.on("dialog", self._dialog)
        self.page = self.tab()

    def tab(self) -> Page:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        return page

    def _asked(self, request) -> None:
        if not request.url.startswith((self.address, "data:", "blob:", "about:")):
            self.faults.append(f"foreign request: {request.url}")

    def _dialog(self, dialog) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def sign_in(self, person) -> None:
        """As signing in does it: a new session and a new CSRF token."""
        client = Client()
        client.force_login(person)
        self.context.clear_cookies()
        self.context.add_cookies(
            [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": self.address}]
        )

    def open(self, assignment: Assignment, page: Page | None = None) -> Page:
        page = page or self.page
        page.goto(f"{self.address}/work/{assignment.key}/")
        return page

    def choose(self, question: int, label: str, page: Page | None = None) -> None:
        (page or self.page).locator(f"#question-{question} label", has_text=label).click()


@pytest.fixture
def new_desk(browser, live_server):
    """A function that opens a browser of its own for a person; at the end none may have met a fault."""
    desks = []

    def make(person=None, **options) -> Desk:
        desk = Desk(browser, live_server.url, **options)
        desks.append(desk)
        if person is not None:
            desk.sign_in(person)
        return desk

    yield make
    for desk in desks:
        desk.context.set_offline(True)  # a page's last words would meet the next test's database
        desk.context.close()
    connections.close_all()
    assert [fault for desk in desks for fault in desk.faults] == []


@pytest.fixture
def desk(new_desk, rater) -> Desk:
    return new_desk(rater)


@pytest.fixture
def task(study, rater) -> Assignment:
    """The rater's first task."""
    return next_assignment(study, rater_for(study, rater))


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, skipped by name where it cannot be had."""
    try:
        return axe_source()
    except (OSError, subprocess.SubprocessError) as problem:
        pytest.skip(f"axe-core {AXE_VERSION} could not be fetched by npm: {problem}")


def axe_source() -> str:
    """The source of axe-core, fetched once by npm; raises OSError or SubprocessError."""
    script = CACHE / f"axe-core-{AXE_VERSION}" / "package" / "axe.min.js"
    folder = script.parent.parent
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another process may be fetching it
        if not script.exists():
            subprocess.run(
                ["npm", "pack", f"axe-core@{AXE_VERSION}"], cwd=folder, check=True, capture_output=True, timeout=60
            )
            subprocess.run(["tar", "xzf", f"axe-core-{AXE_VERSION}.tgz"], cwd=folder, check=True)
    return script.read_text(encoding="utf-8")


def saved(page: Page) -> None:
    expect(page.locator("#state")).to_have_text("saved")


def moved_on(page: Page, task: Assignment) -> None:
    """Wait until another task is on the desk."""
    expect(page.locator("#desk")).not_to_have_attribute("data-assignment", str(task.key))


def answers_to(task: Assignment) -> list[dict]:
    """Every revision of the rater's answer, oldest first."""
    rows = Annotation.objects.filter(task=task.task_id, rater=task.rater_id).order_by("revision")
    return list(rows.values("revision", "status", "answers", "is_current", "tool_use"))
