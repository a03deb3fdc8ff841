"""`make release` in temporary clones: all checks are shown, each can be red, and then nothing is written."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from types import SimpleNamespace

import pytest

from scripts.bill_of_materials import version_of
from scripts.release import CHECKS, FIXTURE, PLACES, Release, released, run_tests
from scripts.run_tests import ALL_RUN, summary
from tests.house import ROOT

CHANGES = """# Changelog

## [0.2.0] \u2013 2026-12-01

### Operating

- Something new.

### Upgrading

- Restart everything.

## [0.1.0] \u2013 2026-11-21

The first release.
"""
NEEDED = (
    "requirements/base.txt", "requirements/retrieval.txt", "requirements/torch_default.txt", "requirements/sentry.txt",
    "THIRD_PARTY.md", ".gitignore", "pyproject.toml", "static/vendor/htmx-4.0.1.min.js", *PLACES,
)  # fmt: skip


def git(folder, *words: str) -> str:
    about = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    done = subprocess.run(["git", "-C", str(folder), *about, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "Change")


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """A repository that is ready for the release 0.2.0."""
    folder = tmp_path_factory.mktemp("origin")
    git(folder, "init", "--quiet", "--initial-branch", "main")
    for name in NEEDED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / name).read_text(encoding="utf-8")
        if name in (*PLACES, "pyproject.toml"):
            text = text.replace("0.1.0", "0.2.0")
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "CHANGELOG.md").write_text(CHANGES, encoding="utf-8")
    for name in FIXTURE:
        (folder / "tests" / "fixtures" / "0.2").mkdir(parents=True, exist_ok=True)
        (folder / "tests" / "fixtures" / "0.2" / name).write_bytes(b"data")
    commit(folder)
    git(folder, "tag", "v0.1.0")
    return folder


@pytest.fixture
def release(origin, tmp_path, monkeypatch):
    """The release of a clone, whose audit and tests are green."""
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(origin), str(clone))
    for key in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"):
        monkeypatch.setenv(key, "a")
    for key in ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(key, "a@example.org")
    yield Release("0.2.0", clone, audit=lambda root: 0, test=lambda root: 0)
    shutil.rmtree(clone)


def refused(release, capsys) -> list[str]:
    """The red checks of a release that is refused and writes nothing."""
    assert released(release, dry=False) == 1
    assert git(release.root, "tag", "--list") == "v0.1.0"
    assert not (release.root / "dist").exists()
    lines = capsys.readouterr().out.splitlines()
    shown = dict(line.split(": ", 1) for line in lines[:-1])
    assert {*shown} == {*CHECKS, "tests"}
    return [name for name, said in shown.items() if said != "green" and not said.startswith("not run")]


def test_a_release_writes_the_bill_of_materials_and_an_annotated_tag_with_its_digest(release, capsys):
    assert released(release, dry=False) == 0
    assert "tag v0.2.0" in capsys.readouterr().out
    bill = (release.root / "dist" / "interrater-0.2.0.cdx.json").read_text(encoding="utf-8")
    about = json.loads(bill)["metadata"]
    assert about["component"]["version"] == "0.2.0"
    assert about["timestamp"] == git(release.root, "log", "-1", "--format=%cI").replace("Z", "+00:00")
    assert git(release.root, "cat-file", "-t", "v0.2.0") == "tag"
    message = git(release.root, "tag", "--list", "--format=%(contents)", "v0.2.0")
    digest = subprocess.run(["sha256sum"], input=bill, capture_output=True, text=True, check=True).stdout.split()[0]
    assert message.startswith("Interrater 0.2.0\n\n### Operating\n\n- Something new.")
    assert digest in message
    assert git(release.root, "status", "--porcelain") == ""
    assert released(release, dry=False) == 1  # the same version again


def test_a_dry_run_shows_the_checks_and_writes_nothing(release, capsys):
    never = replace(release, test=lambda root: pytest.fail("a dry run does not run the tests"))
    assert released(never, dry=True) == 0
    said = capsys.readouterr().out
    assert "tests: not run by a dry run\n" in said
    assert "would write dist/interrater-0.2.0.cdx.json and the tag v0.2.0" in said
    assert git(release.root, "tag", "--list") == "v0.1.0"
    assert not (release.root / "dist").exists()


def test_all_red_checks_are_shown_at_once(release, capsys):
    (release.root / "CHANGELOG.md").write_text("# Changelog\n")
    git(release.root, "checkout", "--quiet", "-b", "other")
    assert refused(replace(release, audit=lambda root: 1), capsys) == [
        "branch", "tree", "changelog", "upgrade note", "audit",
    ]  # fmt: skip


def changed(name, old, new):
    def change(root):
        text = (root / name).read_text(encoding="utf-8")
        assert old in text
        (root / name).write_text(text.replace(old, new), encoding="utf-8")

    return change


@pytest.mark.parametrize(
    ("change", "red"),
    [
        (changed("CHANGELOG.md", "- Restart everything.\n", ""), ["upgrade note"]),
        (changed("CHANGELOG.md", "[0.2.0] \u2013", "[0.2.0] -"), ["changelog", "upgrade note"]),
        (changed("pyproject.toml", '"0.2.0"', '"0.1.0"'), ["version"]),
        *((changed(name, "0.2.0", "0.1.0"), ["version"]) for name in PLACES),
        (lambda root: (root / "tests" / "fixtures" / "0.2" / FIXTURE[0]).unlink(), ["fixture"]),
    ],
)
def test_a_commit_that_is_not_ready_is_refused(release, change, red, capsys):
    change(release.root)
    commit(release.root)
    assert refused(release, capsys) == red


def test_a_patch_release_needs_a_fixture_of_its_own_once_a_migration_has_changed(release):
    patch, fixtures = replace(release, version="0.2.1"), release.root / "tests" / "fixtures"
    check = CHECKS["fixture"]
    assert "The tag v0.2.0 is not here" in check(patch)
    git(release.root, "tag", "v0.2.0")
    assert check(patch) is None
    migration = release.root / "annotation" / "migrations" / "0002_later.py"
    migration.parent.mkdir(parents=True)
    migration.write_text("", encoding="utf-8")
    commit(release.root)
    assert "annotation/migrations/0002_later.py is not as in 0.2.0" in check(patch)
    assert check(release) is None
    shutil.copytree(fixtures / "0.2", fixtures / "0.2.1")
    commit(release.root)
    assert check(patch) is None


def test_an_unclean_tree_and_a_detached_head_are_refused(release, capsys):
    (release.root / "new").write_text("")
    assert refused(release, capsys) == ["tree"]
    (release.root / "new").unlink()
    git(release.root, "checkout", "--quiet", "--detach")
    assert refused(release, capsys) == ["branch"]


@pytest.mark.parametrize(("version", "red"), [("0.2", ["number"]), ("v0.2.0", ["number"]), ("0.1.0", ["order"])])
def test_an_odd_or_old_number_is_refused(release, version, red, capsys):
    assert set(red) <= set(refused(replace(release, version=version), capsys))


def test_an_audit_that_could_not_look_is_refused_with_its_own_sentence(release, capsys):
    assert refused(replace(release, audit=lambda root: 3), capsys) == ["audit"]
    assert released(replace(release, audit=lambda root: 3), dry=True) == 1
    assert "audit: The audit could not check everything" in capsys.readouterr().out


def test_tests_that_fail_are_refused_and_run_only_if_all_else_is_green(release, capsys):
    assert refused(replace(release, test=lambda root: 1), capsys) == ["tests"]
    never = replace(release, audit=lambda root: 1, test=lambda root: pytest.fail("runs for nothing"))
    assert refused(never, capsys) == ["audit"]


@pytest.mark.parametrize(
    ("commit_of", "said", "last", "is_green"),
    [
        ("HEAD", ALL_RUN, "===== 12 passed, 3 skipped in 9.1s =====", True),
        ("HEAD", ALL_RUN, "12 passed in 9.1s", True),
        ("HEAD", ALL_RUN, "== 1 failed, 12 passed in 9.1s ==", False),
        ("HEAD", ALL_RUN, "== 12 passed, 1 error in 9.1s ==", False),
        ("HEAD", ALL_RUN, "make: *** [Makefile:17: thorough] Error 1", False),
        ("HEAD", "Left to `make thorough`: the tests marked as thorough.", "12 passed in 9.1s", False),
        ("v0.1.0^{tree}", ALL_RUN, "12 passed in 9.1s", False),
    ],
)
def test_a_report_must_be_of_make_thorough_on_this_commit_and_end_with_passed_tests(
    release, tmp_path, commit_of, said, last, is_green, capsys
):
    report = tmp_path / "report.txt"
    report.write_text(f"{git(release.root, 'rev-parse', commit_of)}\n{said}\nmuch\n{last}\n")
    given = replace(release, report=report, test=lambda root: pytest.fail("the report stands for them"))
    if is_green:
        assert released(given, dry=True) == 0
    else:
        assert refused(given, capsys) == ["tests"]


@pytest.mark.parametrize(("part", "says"), [("thorough", True), ("all", False)])
def test_make_thorough_says_that_it_is_one(part, says, capsys):
    summary("postgres://here", "", "chromium", part)
    assert (ALL_RUN in capsys.readouterr().out.splitlines()) is says


def test_without_a_report_the_release_runs_the_thorough_tests(tmp_path, monkeypatch):
    ran = []
    monkeypatch.setattr(subprocess, "run", lambda words, **how: ran.append(words) or SimpleNamespace(returncode=0))
    assert run_tests(tmp_path) == 0
    assert [words[-1] for words in ran] == ["thorough"]


def test_a_report_that_is_missing_is_refused(release, tmp_path, capsys):
    assert refused(replace(release, report=tmp_path / "none.txt"), capsys) == ["tests"]


@pytest.mark.parametrize("name", PLACES)
def test_the_places_that_repeat_the_version_agree_here(name):
    found = re.search(PLACES[name], (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    assert found[1] == version_of(ROOT)
