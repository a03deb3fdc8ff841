"""Databases of earlier releases are migrated, keep their triggers, and export the same files as then."""

import json

import psycopg
import pytest

from tests.house import ROOT
from tests.later_versions import write_later_version
from tests.operating.installations import QUICK_KINDS
from tests.release_fixture import EXPORT, MIGRATE, SERVER, exported, kept, load, new_database, run

RELEASES = sorted(path for path in (ROOT / "tests" / "fixtures").iterdir() if path.is_dir())
ABOUT_THE_SOFTWARE = ("manifest.json", "README.md")
LATER = """
from django.db import migrations, models
from config.triggers import Freeze

def fill(apps, editor):
    for guideline in apps.get_model("annotation", "Guideline").objects.all():
        guideline.words = len(guideline.text.split())
        guideline.save(update_fields=["words"])

class Migration(migrations.Migration):
    dependencies = [("annotation", "%s")]
    operations = [
        migrations.AddField("guideline", "words", models.PositiveIntegerField(default=0)),
        migrations.CreateModel("Later", fields=[
            ("id", models.BigAutoField(primary_key=True)),
            ("guideline", models.ForeignKey("annotation.guideline", models.PROTECT)),
        ]),
        migrations.RunPython(fill),
        Freeze("annotation_guideline", ["study_id", "number", "text"]),
    ]
"""
"""A migration that alters a table of evidence, so that SQLite makes it again, and fills a column."""
WAITING = """
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
executor = MigrationExecutor(connection)
plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
assert [migration.name for migration, _ in plan] == ["9999_later"], plan
"""
MIGRATED = """
with connection.cursor() as cursor:
    cursor.execute("SELECT text, words FROM annotation_guideline")
    rows = cursor.fetchall()
assert rows and all(words == len(text.split()) > 0 for text, words in rows), rows
"""


@pytest.fixture(params=QUICK_KINDS)
def kind(request):
    """Each kind of database; PostgreSQL if a server answers."""
    if request.param == "postgresql":
        try:
            psycopg.connect(SERVER, connect_timeout=5).close()
        except psycopg.OperationalError:
            pytest.skip("no PostgreSQL answers: set TEST_POSTGRES_URL")
    return request.param


def research_data(files):
    return {name: content for name, content in files.items() if not name.endswith(ABOUT_THE_SOFTWARE)}


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)
def test_a_release_s_database_is_migrated_and_exports_the_same_bytes(release, kind, tmp_path):
    dumped, files = kept(release, kind)
    assert {name.split("/")[0] for name in files} >= {"the-rating", "the-listwise", "the-pairwise", "the-session"}
    with new_database(kind, tmp_path) as url:
        load(kind, dumped, url, tmp_path)
        run(MIGRATE + EXPORT, url, tmp_path)
    now = exported(tmp_path)
    assert research_data(now) == research_data(files)
    assert set(now) == set(files)
    for name in now:
        if name.endswith("manifest.json"):
            old, new = json.loads(files[name]), json.loads(now[name])
            assert (old["counts"], old["study"]) == (new["counts"], new["study"])


def test_a_later_migration_alters_a_release_s_database_and_its_exports_stay_the_same(kind, tmp_path):
    """This version's own migrations may all be in the database of the newest fixture, so one more is made."""
    dumped, files = kept(RELEASES[-1], kind)
    newest = max(path.stem for path in (ROOT / "annotation" / "migrations").glob("[0-9]*.py"))
    settings = write_later_version(tmp_path, "annotation", {"9999_later": LATER % newest})
    with new_database(kind, tmp_path) as url:
        load(kind, dumped, url, tmp_path)
        run(MIGRATE, url, tmp_path)
        run(WAITING + MIGRATE + MIGRATED + EXPORT, url, tmp_path, settings)
    assert research_data(exported(tmp_path)) == research_data(files)


@pytest.mark.parametrize("release", RELEASES, ids=lambda path: path.name)
def test_the_fixture_of_a_release_is_small_and_has_answers_of_every_protocol(release):
    assert sum(path.stat().st_size for path in release.iterdir()) < 340_000
    for kind in ("sqlite", "postgresql"):
        _, files = kept(release, kind)
        lines = {name: len(content.splitlines()) for name, content in files.items()}
        for slug in ("the-rating", "the-listwise", "the-pairwise", "the-session"):
            assert lines[f"{slug}/annotations.jsonl"] > 1
        assert lines["the-session/sessions.jsonl"] == 3
        assert lines["the-session/labels.jsonl"] == 2
        assert lines["the-listwise/reviews.jsonl"] > 4
        assert lines["the-rating/reviews.jsonl"] == 3
