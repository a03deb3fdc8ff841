"""Migrations and fixtures that a release contains are never edited, moved or deleted."""

import pytest

from tests.house import ROOT
from tests.ops.released_files import KEPT, changed_since_release, git, kept_files, releases

FIRST, FIXTURE = "farm/migrations/0001_initial.py", "tests/fixtures/0.1/sqlite.gz"


def committed(root, files, tag=""):
    """Commit files; give the commit a tag."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "add", "--all")
    git(root, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--message", "Change")
    if tag:
        git(root, "tag", tag)


@pytest.fixture
def farm(tmp_path):
    """A repository whose first migration and fixture have been edited until they were released as 0.1.0."""
    git(tmp_path, "init", "--quiet")
    committed(tmp_path, {FIRST: "early", FIXTURE: "early"})
    assert changed_since_release(tmp_path) == []
    files = {FIRST: "one", "farm/migrations/__init__.py": "", FIXTURE: "data", "farm/models.py": "a"}
    committed(tmp_path, files, "v0.1.0")
    return tmp_path


def test_no_released_migration_or_fixture_has_changed_here():
    """Until there is a tag, nothing is released: then this test names what the first one will lock."""
    if not (ROOT / ".git").exists():
        pytest.skip("no clone, so no tags")
    assert changed_since_release(ROOT) == []
    if not releases(ROOT):
        names = {name for name in kept_files(ROOT, "HEAD") if KEPT.fullmatch(name)}
        assert {"annotation/migrations/0001_initial.py", FIXTURE} <= names


def test_more_migrations_and_fixtures_and_all_other_files_may_change(farm):
    committed(farm, {"farm/migrations/0002_more.py": "two", "tests/fixtures/0.2/sqlite.gz": "more",
                     "farm/migrations/__init__.py": "#", "farm/models.py": "b"}, "v0.2.0")  # fmt: skip
    assert releases(farm) == ["v0.1.0", "v0.2.0"]
    assert changed_since_release(farm) == []


@pytest.mark.parametrize("is_committed", [False, True])
@pytest.mark.parametrize("name", [FIRST, FIXTURE])
def test_a_change_of_what_is_released_is_named(farm, name, is_committed):
    if is_committed:
        committed(farm, {name: "other"}, "v0.2.0")
    else:
        (farm / name).write_text("other")
    assert changed_since_release(farm) == [f"{name} is not as in v0.1.0."]


def test_what_a_later_release_adds_is_locked_from_then_on(farm):
    later = "farm/migrations/0002_more.py"
    committed(farm, {later: "early"})
    committed(farm, {later: "two"}, "v0.2.0")
    assert changed_since_release(farm) == []
    (farm / later).write_text("three")
    assert changed_since_release(farm) == [f"{later} is not as in v0.2.0."]


@pytest.mark.parametrize("name", [FIRST, FIXTURE])
def test_what_is_released_is_neither_deleted_nor_renamed(farm, name):
    (farm / name).rename(farm / name.replace("initial", "begin").replace("0.1/sqlite", "0.1/other"))
    assert changed_since_release(farm) == [f"{name} is not there, but in v0.1.0."]
