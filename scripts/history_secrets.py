"""Looks for secrets in every version of every file, and in the messages of all commits, by detect-secrets' patterns.

`allowed_secrets.txt` lists values that are no secrets, by their SHA-256: examples, and what tests use.
"""

import hashlib
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.plugins.base import RegexBasedDetector

from scripts.audit_outcome import AuditOutcome, AuditStatus

ALLOWED = Path(__file__).with_name("allowed_secrets.txt")
TOO_GENERAL = ("IP Address (public)", "Public IP (ipv4)")
"""Kinds of detect-secrets that are no secrets here."""
PROVIDER_KEY = re.compile(r"\bsk-[A-Za-z0-9_-]{20,}")
COMMIT = re.compile(r"^\x01([0-9a-f]{40})\n", re.MULTILINE)
FILE = re.compile(r'^diff --git "?a/(.*?)"? "?b/', re.MULTILINE)


@dataclass(frozen=True)
class SecretLike:
    """A value that looks like a secret, in the first commit and file that has it."""

    kind: str
    value: str
    commit: str
    file: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.value.encode()).hexdigest()

    def __str__(self) -> str:
        shown = f"{self.value[:4]}… ({len(self.value)} characters)"
        return f"{self.kind} in {self.file}, commit {self.commit[:12]}: {shown}, SHA-256 {self.digest}"


def patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Return detect-secrets' patterns by kind, and one of ours."""
    plugins: dict[str, Any] = get_mapping_from_secret_type_to_class()
    found = [
        (kind, pattern)
        for kind, plugin in sorted(plugins.items())
        if issubclass(plugin, RegexBasedDetector) and kind not in TOO_GENERAL
        for pattern in plugin.denylist
    ]
    return [*found, ("Key of a model provider", PROVIDER_KEY)]


def history(repository: Path) -> Iterator[tuple[str, str]]:
    """Yield each commit of all branches and tags with its message and the lines that it adds, oldest first."""
    done = subprocess.run(
        [
            "git", "-C", str(repository), "log", "--all", "--reverse", "--patch", "--text", "--unified=0", "--no-color",
            "--no-ext-diff", "--no-textconv", "--no-renames", "--diff-merges=first-parent", "--format=%x01%H%n%B",
        ],
        stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    parts = COMMIT.split(done.stdout.decode("utf-8", "replace"))[1:]
    yield from zip(parts[::2], parts[1::2], strict=True)


def files_of(patch: str) -> Iterator[tuple[str, str]]:
    """Yield the message of a commit, and each of its files, with what was added."""
    message, *rest = FILE.split(patch)
    yield "the message", message
    for file, text in zip(rest[::2], rest[1::2], strict=True):
        yield file, "\n".join(line[1:] for line in text.splitlines() if line[:1] == "+" and line[:4] != "+++ ")


def findings(repository: Path) -> list[SecretLike]:
    """Return each value that looks like a secret once."""
    found: dict[str, SecretLike] = {}
    looked_for = patterns()
    for commit, patch in history(repository):
        for file, text in files_of(patch):
            for kind, pattern in looked_for:
                for match in pattern.finditer(text):
                    found.setdefault(match[0], SecretLike(kind, match[0], commit, file))
    return list(found.values())


def allowed(file: Path = ALLOWED) -> frozenset[str]:
    """Return the digests of values that are no secrets."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return frozenset(line.split()[0] for line in lines if line and not line.startswith("#"))


def check_history(repository: Path, allowed_file: Path = ALLOWED) -> AuditOutcome:
    """Return the secrets in the history of a repository."""
    asked = subprocess.run(
        ["git", "-C", str(repository), "rev-parse", "--is-shallow-repository"], capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    if asked.stdout.strip() != "false":
        why = "is cut off: git fetch --unshallow" if asked.returncode == 0 else "cannot be read: this is no repository"
        return AuditOutcome(AuditStatus.UNCHECKED, (f"The history {why}.",))
    known = allowed(allowed_file)
    return AuditOutcome.of([str(finding) for finding in findings(repository) if finding.digest not in known])
