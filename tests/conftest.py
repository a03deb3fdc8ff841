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
from scripts.run_tests import ON_POSTGRES
from tests.emptying import empty

hypothesis_settings.register_profile("untimed", deadline=None)
hypothesis_settings.load_profile("untimed")  # else an example that takes 0.2 s fails, as on a busy machine
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # the browser driver runs an event loop in our thread

REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
SYSTEMS = ("system-north", "system-south", "system-west")
SCALE = ["not at all", "barely", "partly", "mostly", "strictly"]


EVERY_PAGE = ("test_crawler.py", "test_hidden_from_annotators.py")
"""Tests that open every page: once, on PostgreSQL if there is one."""
LONG = ("faults", "load", "operating", "ops")
"""Folders whose tests take long, because they start programs: first, so that no process ends with one of them alone."""
LEARNED = (
    *("judges/metrics", "judges/test_every_judge.py", "judges/test_metric_requests.py", "judges/turn_training"),
    *("judges/test_trained_judges.py", "retrieval/test_code_in_files.py", "retrieval/test_dense.py"),
    "retrieval/test_download.py",
)
"""Tests that load torch, 8 seconds and 600 MB: after each other, so that one of the processes that share tests does."""
CONTENTS = ("judges", "preparing", "reports", "managing")
"""Folders of tests of what pages, figures and runs contain, which both databases give alike."""
ALIKE = (
    *(f"annotation/{name}" for name in ("importing", "members", "protocols", "questions", "review", "views")),
    *("accounts", "client_library", "llm", "recruiting", "retrieval", "sessions", "test_admin", "test_blinding"),
    "webhooks",
)
"""Folders of which make test runs on PostgreSQL only what commits, because the rest hardly depends on the database."""


BYTES = tuple(f"reports/exporting/test_{name}.py" for name in ("round_trip", "export_speed", "odd_times"))
"""Tests that the files of an export are the same to the byte, on PostgreSQL, too."""
BOTH = ("annotation/desk", "annotation/importing", "config", "operating", BYTES[0])
"""What make test runs on both databases: the path of an answer, imports, backups, and the bytes of an export.

So it does files that ask for the database's `vendor`. Else it runs no test on SQLite that has run on PostgreSQL."""
ONE_DATABASE = ("agreement", "ops", "test_routes", "test_audited", "test_every_form", "test_hostile")
"""Folders and files of which no test asks PostgreSQL."""
MAY_COMMIT = re.compile(r"transaction=True|transactional_db|live_server|mark\.database")
"""What is in a file with a test that commits, or starts programs that ask the database."""


@cache
def _runs_on_both(path):
    place = path.relative_to(Path(__file__).parent).as_posix()
    return place.startswith(BOTH) or "vendor" in path.read_text(encoding="utf-8")


@cache
def _may_ask_postgres(path):
    """Whether `make test` reads a file for its tests on PostgreSQL. Four of five have none, and reading takes long."""
    place = path.relative_to(Path(__file__).parent).as_posix()
    alike = place.startswith(ALIKE) or (place.split("/")[0] in CONTENTS and place not in BYTES)
    if place.startswith(ONE_DATABASE) or alike:
        return MAY_COMMIT.search(path.read_text(encoding="utf-8")) is not None
    return True


def pytest_ignore_collect(collection_path, config):
    if ON_POSTGRES in config.option.markexpr and collection_path.name.startswith("test_") and collection_path.is_file():
        return not _may_ask_postgres(collection_path) or None
    return None


def _commits(item):
    """Whether a test commits, or compares files byte for byte."""
    mark = item.get_closest_marker("django_db")
    transactional = {"transactional_db", "live_server"} & set(item.fixturenames)
    place = item.path.relative_to(Path(__file__).parent).as_posix()
    return bool(transactional or (mark and mark.kwargs.get("transaction")) or place in BYTES)


def _place_in_order(item):
    """Tests that start programs or open every page first, so that none of these is the last; then those with torch."""
    place = item.path.relative_to(Path(__file__).parent)
    return place.parts[0] not in LONG and place.name not in EVERY_PAGE, not place.as_posix().startswith(LEARNED)


gc.disable()  # what is imported and collected stays until the end, so looking for garbage in it is a waste of time


def pytest_collection_finish():
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000, 20, 20)  # a tenth less processor time than with Python's thresholds


@pytest.hookimpl(tryfirst=True, wrapper=True)
def pytest_collection_modifyitems(items):
    """Mark the tests that use the database. Pytest-django refuses it to all others, so one run is enough for those.

    Each page is opened on PostgreSQL, and what it shows is tested on SQLite. What commits runs on PostgreSQL, and so
    does all that is not `alike`; on SQLite, too, what is named in `BOTH` or if there is no PostgreSQL.
    """
    for item in items:
        place = item.path.relative_to(Path(__file__).parent)
        if place.name in EVERY_PAGE:
            item.add_marker("every_page")
            item.add_marker("database")
            continue
        if item.get_closest_marker("one_database") or (place.parts[0] in CONTENTS and not _commits(item)):
            continue
        if item.get_closest_marker("django_db") or not {"db", "transactional_db", "live_server"}.isdisjoint(
            item.fixturenames
        ):
            item.add_marker("database")
            if place.as_posix().startswith(ALIKE) and not _commits(item):
                item.add_marker("alike")
                continue
            if not item.get_closest_marker("thorough") and not _may_ask_postgres(item.path):
                raise pytest.UsageError(
                    f"{item.nodeid} asks PostgreSQL, but its file is not read for it: see MAY_COMMIT"
                )
            if not _runs_on_both(item.path) and not item.get_closest_marker("alike"):  # which may be given by hand
                item.add_marker("without_postgres")
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
    Question.objects.create(study=study, position=0, key="follows", type="binary", text="Does it follow?")
    Question.objects.create(
        study=study, position=1, key="how_well", type="likert", text="How well?",
        spec={"min": 1, "max": 5, "labels": SCALE},
    )  # fmt: skip
    Question.objects.create(study=study, position=2, key="comment", type="text", text="Why?", required=False)
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
    for position, system in enumerate(systems):
        Output.objects.create(
            item=item, position=position, key=system, text=f"Ferries sail at {position + 8}.", digest="x"
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
