"""`make release VERSION=x.y.z`: check everything, write the bill of materials, and tag the commit.

    make release VERSION=0.2.0 [DRY=1] [REPORT=report.txt]

Each check that is red says in a sentence what is wrong; nothing is written unless all are green. `make thorough` runs
last, and only then, because it alone reads the fixtures of releases on PostgreSQL, too. REPORT names the output of an
earlier run on this very commit instead:

    (git rev-parse HEAD; make thorough) > report.txt 2>&1
"""

import argparse
import hashlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from scripts.audit_outcome import AuditStatus
from scripts.bill_of_materials import bill_of_materials, version_of
from scripts.run_tests import ALL_RUN, THOROUGH

ROOT = Path(__file__).resolve().parent.parent
VERSION = re.compile(r"\d+\.\d+\.\d+")
PLACES = {
    "config/software_version.py": r'^SOFTWARE_VERSION = "([^"]+)"$',
    "CITATION.cff": r"^version: (\S+)$",
    "docker-compose.yml": r"^  image: interrater:(\S+)$",
    "deploy/kubernetes/example/kustomization.yaml": r"^    newTag: (\S+)",
}
"""Files that repeat the version of pyproject.toml."""
FIXTURE = ("postgresql-exports.tar.gz", "postgresql.gz", "sqlite-exports.tar.gz", "sqlite.gz")
PASSED = re.compile(r"^=* ?\d+ passed\b(?!.*\b(?:failed|errors?)\b)")
Check = Callable[["Release"], str | None]


def run_audit(root: Path) -> int:
    """Run `make audit`; return its exit code."""
    return subprocess.run([sys.executable, "-m", "scripts.audit"], cwd=root, check=False).returncode


def run_tests(root: Path) -> int:
    """Run `make thorough`; return its exit code."""
    return subprocess.run([sys.executable, "-m", "scripts.run_tests", THOROUGH], cwd=root, check=False).returncode


@dataclass(frozen=True)
class Release:
    """What is to be released, and how it is audited and tested."""

    version: str
    root: Path = ROOT
    report: Path | None = None
    audit: Callable[[Path], int] = field(default=run_audit)
    test: Callable[[Path], int] = field(default=run_tests)

    def git(self, *words: str) -> str:
        """Return what git prints; an empty text if it fails."""
        done = subprocess.run(["git", "-C", str(self.root), *words], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    def read(self, name: str) -> str:
        file = self.root / name
        return file.read_text(encoding="utf-8") if file.exists() else ""

    @property
    def tag(self) -> str:
        return f"v{self.version}"

    def section(self) -> str:
        """Return the changelog's section of this version, without its heading; empty if it has none."""
        heading = rf"^## \[{re.escape(self.version)}\] \u2013 \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)"
        found = re.search(heading, self.read("CHANGELOG.md"), re.MULTILINE | re.DOTALL)
        return found[1].strip() if found else ""


def wrong_number(release: Release) -> str | None:
    if not VERSION.fullmatch(release.version):
        return f"VERSION must be three numbers such as 0.2.0, not {release.version!r}."
    return None


def wrong_branch(release: Release) -> str | None:
    branch = release.git("symbolic-ref", "--short", "HEAD")
    return None if branch == "main" else f"Releases are made on main, and this is {branch or 'no branch'}."


def unclean_tree(release: Release) -> str | None:
    changed = release.git("status", "--porcelain").splitlines()
    if not changed:
        return None
    return f"The tree is not clean: commit or remove {len(changed)} changed files, such as {changed[0].split()[-1]}."


def wrong_version(release: Release) -> str | None:
    stated = version_of(release.root)
    if stated != release.version:
        return f"pyproject.toml has the version {stated}: set it to {release.version}."
    different = [name for name, place in PLACES.items() if _found(release, name, place) != release.version]
    return f"These files name another version than pyproject.toml: {', '.join(different)}." if different else None


def _found(release: Release, name: str, place: str) -> str:
    found = re.search(place, release.read(name), re.MULTILINE)
    return found[1] if found else ""


def released_before(release: Release) -> str | None:
    tags = [tag.removeprefix("v") for tag in release.git("tag", "--list", "v*").split()]
    known = sorted(_numbers(tag) for tag in tags if VERSION.fullmatch(tag))
    if not VERSION.fullmatch(release.version) or not known or _numbers(release.version) > known[-1]:
        return None
    newest = ".".join(map(str, known[-1]))
    return f"The newest release is {newest}: {release.version} must come after it."


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def no_changes(release: Release) -> str | None:
    if release.section():
        return None
    return f"CHANGELOG.md has no section with a date for {release.version}: rename [Unreleased]."


def no_upgrade_note(release: Release) -> str | None:
    note = re.search(r"^### Upgrading\n+(\S.*?)(?=^### |\Z)", release.section(), re.MULTILINE | re.DOTALL)
    return None if note else f"CHANGELOG.md says nothing under '### Upgrading' for {release.version}."


def no_fixture(release: Release) -> str | None:
    line = release.version.rpartition(".")[0]
    tracked = set(release.git("ls-files", "tests/fixtures").splitlines())
    there = {name for name in (line, release.version) if tracked >= {f"tests/fixtures/{name}/{one}" for one in FIXTURE}}
    if release.version in there or (line in there and release.version == f"{line}.0"):
        return None
    if line not in there:
        return f"tests/fixtures/{line} is not committed: make it with python -m tests.release_fixture."
    if not release.git("rev-parse", "--verify", "--quiet", f"v{line}.0"):
        return (
            f"The tag v{line}.0 is not here, so nobody knows whether migrations have changed since: git fetch --tags."
        )
    if changed := release.git("diff", "--name-only", f"v{line}.0", "HEAD", "--", "*/migrations/*.py"):
        return (
            f"{changed.splitlines()[0]} is not as in {line}.0, so this release needs a fixture of its own: "
            f"python -m tests.release_fixture tests/fixtures/{release.version}."
        )
    return None


def red_audit(release: Release) -> str | None:
    code = release.audit(release.root)
    if code == AuditStatus.CLEAN:
        return None
    if code == AuditStatus.UNCHECKED:
        return "The audit could not check everything: run make audit where it can."
    return "The audit found something: run make audit."


def red_tests(release: Release) -> str | None:
    if release.report is None:
        return None if release.test(release.root) == 0 else "The tests fail: run make thorough."
    if not release.report.exists():
        return f"There is no report {release.report}."
    lines = release.report.read_text(encoding="utf-8").strip().splitlines() or [""]
    if lines[0].strip() != release.git("rev-parse", "HEAD"):
        return f"{release.report} is about another commit: its first line must be this one's."
    if ALL_RUN not in lines:
        return f"{release.report} is not of make thorough."
    return None if PASSED.match(lines[-1]) else f"{release.report} does not end with passed tests: {lines[-1]!r}."


CHECKS: dict[str, Check] = {
    "number": wrong_number, "branch": wrong_branch, "tree": unclean_tree, "version": wrong_version,
    "order": released_before, "changelog": no_changes, "upgrade note": no_upgrade_note, "fixture": no_fixture,
    "audit": red_audit,
}  # fmt: skip
"""Each returns a sentence if it is red. The tests come after them."""


def reasons(release: Release, *, dry: bool) -> Iterator[str]:
    """Run and print the checks; yield the sentence of each that is red."""
    are_green = True
    for name, check in CHECKS.items():
        reason = check(release)
        print(f"{name}: {reason or 'green'}", flush=True)
        if reason:
            are_green = False
            yield reason
    if release.report is None and (dry or not are_green):
        print("tests: not run" + (" by a dry run" if dry else ", because of the above"), flush=True)
        return
    reason = red_tests(release)
    print(f"tests: {reason or 'green'}", flush=True)
    if reason:
        yield reason


def make_release(release: Release) -> Path:
    """Write the bill of materials into dist/, and tag the commit with its digest; return the file."""
    when = datetime.fromisoformat(release.git("log", "-1", "--format=%cI"))
    text = bill_of_materials(release.root, when)
    folder = release.root / "dist"
    folder.mkdir(exist_ok=True)
    file = folder / f"interrater-{release.version}.cdx.json"
    file.write_text(text, encoding="utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()
    message = f"Interrater {release.version}\n\n{release.section()}\n\n{file.name}: SHA-256 {digest}\n"
    subprocess.run(
        ["git", "-C", str(release.root), "tag", "--annotate", "--cleanup=verbatim", "--message", message, release.tag],
        check=True,
    )  # fmt: skip
    return file


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument("version")
    parser.add_argument("--dry", action="store_true", help="only show the checks")
    parser.add_argument("--report", type=Path, help="the output of make thorough, with the commit in its first line")
    given = parser.parse_args(arguments)
    return released(Release(given.version, report=given.report), dry=given.dry)


def released(release: Release, *, dry: bool) -> int:
    """Check, and release unless `dry`; return the exit code."""
    red = list(reasons(release, dry=dry))
    if red:
        print(f"Not released: {len(red)} of {len(CHECKS) + 1} checks are red.", flush=True)
        return 1
    if dry:
        print(f"A release would write dist/interrater-{release.version}.cdx.json and the tag {release.tag}.")
        return 0
    file = make_release(release)
    print(f"Released: {file.relative_to(release.root)}, tag {release.tag}. Publish both: git push origin {release.tag}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
