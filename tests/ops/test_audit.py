"""`make audit`: each part finds what is seeded, and says so if it could not look."""

import http.server
import json
import subprocess
import threading
from pathlib import Path

import pytest

from scripts import audit, known_vulnerabilities, licences
from scripts.audit_outcome import AuditOutcome, AuditStatus
from scripts.history_secrets import check_history
from scripts.known_vulnerabilities import check_vulnerabilities, read_answer
from scripts.licences import ALLOWED, ALLOWED_TO_TEST, InstalledPackage, check_packages, is_allowed, stated_licence

KEY = "AKIA" + "Q7ZP" * 4
"""Looks like a key of a cloud; made of pieces, so that this file does not."""


@pytest.fixture
def repository(tmp_path):
    """A function that runs git in a new repository with one commit."""
    folder = tmp_path / "repository"
    folder.mkdir()

    def git(*words: str, **files: str) -> str:
        for name, text in files.items():
            (folder / name).write_text(text)
            git("add", name)
        about = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        return subprocess.run(
            ["git", "-C", str(folder), *about, *words], check=True, capture_output=True, text=True
        ).stdout

    git("init", "--quiet", "--initial-branch", "main")
    git("commit", "--quiet", "-m", "Begin", first="nothing to see")
    git.folder = folder
    return git


@pytest.fixture
def nothing_allowed(tmp_path):
    file = tmp_path / "allowed.txt"
    file.write_text("# nothing\n")
    return file


def test_a_clean_history_is_clean(repository, nothing_allowed):
    assert check_history(repository.folder, nothing_allowed) == AuditOutcome(AuditStatus.CLEAN)


def test_a_secret_is_found_though_a_later_commit_has_removed_it(repository, nothing_allowed):
    repository("commit", "--quiet", "-m", "Add settings", settings=f"key = {KEY}\n")
    repository("rm", "--quiet", "settings")
    repository("commit", "--quiet", "-m", "Remove settings")
    outcome = check_history(repository.folder, nothing_allowed)
    assert outcome.status is AuditStatus.FOUND
    (line,) = outcome.lines
    assert line.startswith("AWS Access Key in settings, commit ")
    assert KEY not in line


def test_a_secret_is_found_in_a_message_on_another_branch_and_in_a_merge(repository, nothing_allowed):
    repository("checkout", "--quiet", "-b", "other")
    repository("commit", "--quiet", "-m", f"Use {KEY}", other="text")
    repository("checkout", "--quiet", "main")
    repository("commit", "--quiet", "-m", "Go on", main="text")
    repository("merge", "--quiet", "--no-commit", "--no-ff", "other")
    merged = "sk-" + "live9Zk2Qw8rTy4U" * 2
    repository("commit", "--quiet", "-m", "Merge", merged=f"only the merge has {merged}\n")
    found = check_history(repository.folder, nothing_allowed).lines
    assert [line.partition(", commit")[0] for line in found] == [
        "AWS Access Key in the message", "Key of a model provider in merged",
    ]  # fmt: skip


def test_a_value_that_is_listed_is_no_secret(repository, nothing_allowed):
    repository("commit", "--quiet", "-m", "Add", example=f"for example {KEY}\n")
    digest = check_history(repository.folder, nothing_allowed).lines[0].rpartition(" ")[2]
    nothing_allowed.write_text(f"{digest} an example\n")
    assert check_history(repository.folder, nothing_allowed) == AuditOutcome(AuditStatus.CLEAN)


def test_a_history_that_is_cut_off_or_missing_does_not_pass(repository, nothing_allowed, tmp_path):
    repository("commit", "--quiet", "-m", "Go on", more="text")
    cut = tmp_path / "cut"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", repository.folder.as_uri(), str(cut)], check=True)
    for folder in (cut, nothing_allowed.parent):
        assert check_history(folder, nothing_allowed).status is AuditStatus.UNCHECKED


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("MIT", True), ("MIT AND PSF-2.0", True), ("MIT AND GPL-3.0-or-later", False), ("", False),
        ("GPL-3.0-or-later OR Apache-2.0", True), ("AGPL-3.0-only", False), ("as the file says (see it)", False),
        ("Apache-2.0 WITH LLVM-exception AND BSD-2-Clause", True), ("proprietary", False),
    ],
)  # fmt: skip
def test_a_licence_is_allowed_if_allowed_ones_meet_it(licence, expected):
    assert is_allowed(licence, ALLOWED) is expected


def test_a_forbidden_licence_is_found_and_some_are_allowed_only_to_test():
    told = {"runs": "GPL-3.0-or-later", "tests": "GPL-3.0-or-later", "other": "MIT"}
    gpl = [InstalledPackage("Runs", "GPL-3.0-or-later"), InstalledPackage("tests", "GPL-3.0-or-later")]
    assert [line.partition(":")[0] for line in check_packages(gpl, frozenset({"runs"}), told)] == ["Runs"]
    assert "GPL-3.0-or-later" in ALLOWED_TO_TEST - ALLOWED


def test_a_licence_that_is_told_differently_or_not_at_all_is_found():
    run = frozenset({"a-b", "untold"})
    packages = [InstalledPackage("a.b", "MIT"), InstalledPackage("untold", "MIT")]
    assert check_packages(packages, run, {"ab": "Apache-2.0"}) == [
        "a.b: its metadata say MIT, and THIRD_PARTY.md Apache-2.0", "untold: THIRD_PARTY.md does not name it",
    ]  # fmt: skip
    assert check_packages(packages, run, {"ab": "MIT", "untold": "MIT"}) == []


def test_older_ways_to_name_a_licence_are_understood():
    class Metadata(dict):
        def get_all(self, name):
            return self.get(name)

    assert stated_licence(Metadata(Classifier=["License :: OSI Approved :: MIT License"])) == "MIT"
    assert stated_licence(Metadata(License="3-Clause BSD License\nmore")) == "BSD-3-Clause"
    assert stated_licence(Metadata({"License-Expression": "0BSD", "License": "other"})) == "0BSD"
    assert stated_licence(Metadata()) == ""


def test_everything_that_is_installed_here_has_an_allowed_licence():
    assert licences.check_licences() == AuditOutcome(AuditStatus.CLEAN)


class Advisories(http.server.BaseHTTPRequestHandler):
    """Knows one advisory, for version 1.0 of `holey`; answers with `status`."""

    status = 200

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_holey = (asked["package"]["name"], asked["version"]) == ("holey", "1.0")
        events = [{"introduced": "0"}, {"fixed": "1.1"}]
        package = {"name": "holey", "ecosystem": "PyPI"}
        advisory = {
            "id": "OSV-1", "summary": "A hole", "affected": [{"package": package, "ranges": [
                {"type": "ECOSYSTEM", "events": events}]}],
        }  # fmt: skip
        body = json.dumps({"vulns": [advisory]} if is_holey else {}).encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def database(monkeypatch):
    """A database of advisories that the audit asks."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Advisories)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    monkeypatch.setenv("OSV_URL", f"http://127.0.0.1:{server.server_port}/v1/query")
    yield server
    server.shutdown()
    server.server_close()


def lock(folder: Path, *lines: str) -> list[Path]:
    file = folder / "lock.txt"
    file.write_text("".join(f"{line}\n" for line in lines))
    return [file]


def test_a_vulnerable_version_is_found(database, tmp_path):
    outcome = check_vulnerabilities(lock(tmp_path, "whole==2.0", "holey==1.0"))
    assert outcome == AuditOutcome(AuditStatus.FOUND, ("holey 1.0: OSV-1, fixed in 1.1",))


def test_versions_without_advisories_are_clean(database, tmp_path):
    assert check_vulnerabilities(lock(tmp_path, "whole==2.0", "holey==1.1")) == AuditOutcome(AuditStatus.CLEAN)


def test_a_database_that_fails_or_is_away_does_not_pass(database, tmp_path, monkeypatch):
    monkeypatch.setattr(Advisories, "status", 500)
    monkeypatch.setattr(known_vulnerabilities, "SECONDS", 2)
    assert check_vulnerabilities(lock(tmp_path, "whole==2.0")).status is AuditStatus.UNCHECKED
    monkeypatch.setenv("OSV_URL", "http://127.0.0.1:1/v1/query")
    outcome = check_vulnerabilities(lock(tmp_path, "whole==2.0"))
    assert outcome.status is AuditStatus.UNCHECKED
    assert outcome.lines[0].startswith("The database of advisories was not reached")


def test_a_package_that_was_skipped_does_not_pass():
    skipped = {"name": "whole", "skip_reason": "not found"}
    assert read_answer([skipped]).status is read_answer([]).status is AuditStatus.UNCHECKED
    holey = {"name": "holey", "version": "1.0", "vulns": [{"id": "OSV-1", "fix_versions": []}]}
    assert read_answer([skipped, holey]).status is AuditStatus.FOUND


def test_every_locked_package_is_asked_about():
    asked = {file.name for file in known_vulnerabilities.LOCKS}
    # tests/test_secrets.py: these include base, retrieval and torch
    assert asked == {"test.txt", "models.txt", "torch_default.txt", "sentry.txt", "uv.txt"}


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        ([AuditStatus.CLEAN, AuditStatus.CLEAN], 0), ([AuditStatus.CLEAN, AuditStatus.UNCHECKED], 3),
        ([AuditStatus.UNCHECKED, AuditStatus.FOUND, AuditStatus.CLEAN], 1),
    ],
)  # fmt: skip
def test_the_exit_code_tells_a_finding_from_a_part_that_was_not_checked(statuses, code, capsys):
    parts = {f"part {number}": lambda status=status: AuditOutcome(status) for number, status in enumerate(statuses)}
    assert int(audit.run_parts(parts)) == code
    assert len(capsys.readouterr().out.splitlines()) == len(statuses)
