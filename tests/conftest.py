"""The same three people in every test: an owner, a rater and a stranger; and a small rating study."""

import os
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections
from django.test import override_settings

from accounts.models import Person
from annotation.models import Guideline, Item, Membership, Output, Question, Rater, Study

os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")  # the browser driver runs an event loop in our thread

REFERENCE = Path(os.environ.get("REFERENCE_DATA", Path(__file__).parent.parent.parent / "shared" / "data"))
SYSTEMS = ("system-north", "system-south", "system-west")
SCALE = ["not at all", "barely", "partly", "mostly", "strictly"]


@pytest.fixture(autouse=True, scope="session")
def _quick_settings(tmp_path_factory):
    """Passwords hashed quickly, static files by their plain names (no collectstatic before the tests)."""
    with override_settings(
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
    """On SQLite a file, not memory: threads that share a memory database lock its tables against each other."""
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        path = str(tmp_path_factory.mktemp("database") / "test.sqlite3")
        settings.DATABASES["default"].setdefault("TEST", {})["NAME"] = path
        connections["default"].settings_dict["TEST"]["NAME"] = path


@pytest.fixture
def reference_data() -> Path:
    """The folder of the public reference data; a test that needs it is skipped where it is absent."""
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


@pytest.fixture
def make_study(db):
    """A function that makes a draft rating study with `items` items of three outputs each."""

    def make(slug: str = "study", *, items: int = 2, redundancy: int = 2, **more) -> Study:
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

    return make


def add_item(study: Study, key: str, systems: tuple[str, ...] = SYSTEMS) -> Item:
    item = Item.objects.create(
        study=study, key=key, digest=key, document="The ferry sails at nine.", instruction="Say when it sails.",
        references=[{"id": "gold", "text": "CANARY-REFERENCE", "writer": "human"}],
        metadata={"secret": "CANARY-METADATA"},
    )  # fmt: skip
    for position, system in enumerate(systems):
        Output.objects.create(
            item=item, position=position, key=system, text=f"Ferries sail at {position + 8}.", digest="x"
        )
    return item


@pytest.fixture
def study(make_study, owner, rater) -> Study:
    """A live study of two items with its slots, an owner and one annotator."""
    # Imported here, so that a broken module fails the tests that need it and not the collection.
    from annotation.planning import plan_chunk

    study = make_study()
    Membership.objects.create(study=study, person=owner, role="owner")
    Membership.objects.create(study=study, person=rater, role="annotator")
    while plan_chunk(study):
        pass
    study.refresh_from_db()
    study.status = Study.Status.LIVE
    study.save()
    return study


def rater_of(study: Study, person: Person) -> Rater:
    return Rater.objects.get(study=study, person=person)
