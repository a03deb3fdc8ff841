"""The same three people in every test: an owner, a rater and a stranger; and a small rating study."""

import gc
import os
import re
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management.commands import flush
from django.db import connections, transaction
from django.test import override_settings
from hypothesis import settings as hypothesis_settings

import config.urls  # noqa: F401 - fills the admin, as in a web process
from accounts.models import Person
from annotation.models import Guideline, Item, Membership, Output, Question, Rater, Study
from scripts.run_tests import ON_POSTGRES, QUICK
from tests.emptying import empty

hypothesis_settings.register_profile("untimed", deadline=None)
hypothesis_settings.load_profile("untimed")  # else an example that takes 0.2 s fails, as on a busy machine
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # the browser driver runs an event loop in our thread

REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
SYSTEMS = ("system-north", "system-south", "system-west")
SCALE = ["not at all", "barely", "partly", "mostly", "strictly"]


LONG = ("faults", "load", "operating", "ops", "test_crawler.py")
"""Folders and files whose tests take long: first, so that no process ends with one of them alone."""
COMMITTING = frozenset({"transactional_db", "live_server"})
FOR_POSTGRES = re.compile(r"mark\.(both|postgresql)|transaction=True|transactional_db|live_server")
FILES = {ON_POSTGRES: FOR_POSTGRES, QUICK: re.compile(r"mark\.quick")}
"""What a file says if it has tests for a run of some markers. To read all files takes a process 10 seconds."""


@cache
def _text(path):
    return path.read_text(encoding="utf-8")


def pytest_ignore_collect(collection_path, config):
    said = next((words for markers, words in FILES.items() if markers in config.option.markexpr), None)
    if said and collection_path.name.startswith("test_") and collection_path.is_file():
        return not said.search(_text(collection_path)) or None
    return None


def _folder(item):
    return item.path.relative_to(Path(__file__).parent).parts[0]


def _commits(item):
    mark = item.get_closest_marker("django_db")
    return bool(COMMITTING & {*item.fixturenames} or (mark and mark.kwargs.get("transaction")))


def _asks_the_database(item):
    marked = any(item.get_closest_marker(name) for name in ("django_db", "both", "postgresql"))
    return marked or bool({"db", *COMMITTING} & {*item.fixturenames})


def _place_in_order(item):
    """Tests that take long first; then those with torch, which a process loads in 8 seconds, beside each other."""
    return _folder(item) not in LONG, "torch" not in _text(item.path)


gc.disable()  # what is imported and collected stays until the end, so looking for garbage in it is a waste of time


def pytest_collection_finish():
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 20)  # a tenth less processor time than with Python's thresholds


@pytest.hookimpl(tryfirst=True, wrapper=True)
def pytest_collection_modifyitems(config, items):
    """Mark what commits, and on PostgreSQL pass over tests that ask no database. CONTRIBUTING.md has the table."""
    for item in items:
        if _folder(item) == "browser":
            continue
        if _commits(item) and not item.get_closest_marker("both"):
            item.add_marker("postgresql")
        if item.get_closest_marker("postgresql") and not FOR_POSTGRES.search(_text(item.path)):
            raise pytest.UsageError(f"{item.nodeid} commits, but its file does not say so: mark it as postgresql")
    if settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
        config.hook.pytest_deselected(items=[item for item in items if not _asks_the_database(item)])
        items[:] = filter(_asks_the_database, items)
    yield
    items.sort(key=_place_in_order)  # after pytest-django, which puts tests that use the database first


@pytest.fixture(autouse=True, scope="session")
def _quick_settings(tmp_path_factory):
    """Passwords hashed quickly, static files by their plain names (no collectstatic before the tests), a fixed key.

    Each process has a folder for files of its own, because upkeep deletes what the process' database does not know.
    """
    var = tmp_path_factory.mktemp("var")
    with override_settings(
        VAR=var,
        SECRET_KEY="a key for all tests on all machines: hidden checks are drawn from it",
        ENDPOINTS_FILE=var / "endpoints.yaml",
        STATIC_ROOT=tmp_path_factory.mktemp("static"),
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
        STORAGES={
            "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
            "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
        },
    ):
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings, tmp_path_factory):
    """On SQLite a file, not memory: threads that share a memory database lock its tables against each other.

    A test's database need not survive a power cut, so no commit waits for the disk.
    """
    options = connections["default"].settings_dict["OPTIONS"]
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        path = str(tmp_path_factory.mktemp("database") / "test.sqlite3")
        settings.DATABASES["default"].setdefault("TEST", {})["NAME"] = path
        connections["default"].settings_dict["TEST"]["NAME"] = path
        options["init_command"] += "PRAGMA synchronous=OFF;"
    else:
        options["options"] += " -c synchronous_commit=off"


@pytest.fixture(autouse=True, scope="session")
def _only_filled_tables_are_emptied():
    """Tests that commit end by emptying the database."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush.Command, "handle", lambda self, **options: empty(connections[options["database"]]))
        yield


@pytest.fixture(autouse=True)
def _races_leave_consistent_data(request):
    """After a test in which several write at once, nothing contradicts anything."""
    from tests.consistency import RACING_MODULES, contradictions

    mark = request.node.get_closest_marker("django_db")
    place = request.node.path.relative_to(Path(__file__).parent).as_posix()
    if place not in RACING_MODULES or not mark or not mark.kwargs.get("transaction"):
        yield
        return
    request.getfixturevalue("transactional_db")  # so that its rows are still there when this fixture ends
    yield
    assert contradictions() == {}


@pytest.fixture(scope="module")
def rows_of_module(django_db_setup, django_db_blocker):
    """Return a function that calls another one, which makes rows for all tests of the module.

    The rows are in a transaction around those of the tests, so each test finds them unchanged.
    """
    around = transaction.atomic()
    with django_db_blocker.unblock():
        around.__enter__()

    def build(make):
        with django_db_blocker.unblock():
            return make()

    yield build
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        around.__exit__(None, None, None)


@pytest.fixture(scope="module")
def shared_world(rows_of_module):
    # Imported here, so that a broken module fails the tests that need it and not the collection.
    from tests.world import build_world

    return rows_of_module(build_world)


@pytest.fixture
def world(shared_world, db):
    """A client for each kind of person, and the address of each route: made once per module, see `tests/world.py`."""
    clients, address = shared_world
    cookies = {name: client.cookies.copy() for name, client in clients.items()}
    yield clients, address
    for name, client in clients.items():
        client.cookies = cookies[name]


@pytest.fixture
def reference_data() -> Path:
    """The folder of the public reference data; a test that needs it is skipped if it is absent."""
    if not REFERENCE.is_dir():
        pytest.skip(f"no reference data at {REFERENCE}: set REFERENCE_DATA")
    return REFERENCE


def make_person(name: str, **more) -> Person:
    return Person.objects.create_user(name, password=f"{name} has a long password", **more)


@pytest.fixture
def owner(db) -> Person:
    return make_person("owner")


@pytest.fixture
def rater(db) -> Person:
    return make_person("rater")


@pytest.fixture
def stranger(db) -> Person:
    return make_person("stranger")


def draft_study(slug: str = "study", *, items: int = 2, redundancy: int = 2, **more) -> Study:
    """A draft rating study with `items` items of three outputs each."""
    study = Study.objects.create(slug=slug, title="A study", protocol="rating", redundancy=redundancy, **more)
    Guideline.objects.create(study=study, number=1, text="Read *everything*.")
    scale = {"min": 1, "max": 5, "labels": SCALE}
    Question.objects.bulk_create([
        Question(study=study, position=0, key="follows", type="binary", text="Does it follow?"),
        Question(study=study, position=1, key="how_well", type="likert", text="How well?", spec=scale),
        Question(study=study, position=2, key="comment", type="text", text="Why?", required=False),
    ])  # fmt: skip
    for number in range(items):
        add_item(study, f"item-{number}")
    return study


@pytest.fixture
def make_study(db):
    return draft_study


def add_item(study: Study, key: str, systems: tuple[str, ...] = SYSTEMS, **more) -> Item:
    fields = {"references": [{"id": "gold", "text": "CANARY-REFERENCE", "writer": "human"}], **more}
    item = Item.objects.create(
        study=study, key=key, digest=key, document="The ferry sails at nine.", instruction="Say when it sails.",
        metadata={"secret": "CANARY-METADATA"}, **fields,
    )  # fmt: skip
    Output.objects.bulk_create(
        Output(item=item, position=position, key=system, text=f"Ferries sail at {position + 8}.", digest="x")
        for position, system in enumerate(systems)
    )
    return item


def live_study(owner: Person, rater: Person) -> Study:
    """A live study of two items with its slots, an owner and one annotator."""
    # Imported here, so that a broken module fails the tests that need it and not the collection.
    from annotation.studies.planning import plan_chunk

    study = draft_study()
    Membership.objects.create(study=study, person=owner, role="owner")
    Membership.objects.create(study=study, person=rater, role="annotator")
    while plan_chunk(study):
        pass
    study.refresh_from_db()
    study.status = Study.Status.LIVE
    study.save()
    return study


@pytest.fixture
def study(owner, rater) -> Study:
    return live_study(owner, rater)


def rater_of(study: Study, person: Person) -> Rater:
    return Rater.objects.get(study=study, person=person)
