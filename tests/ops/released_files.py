"""The migrations and fixtures that a release contains, which no later commit may change."""

import re
import subprocess
from pathlib import Path

KEPT = re.compile(r"(?:[^/]+/)*migrations/\d{4}_\w+\.py|tests/fixtures/[^/]+/.+")
TAGS = "v[0-9]*"


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True).stdout


def releases(root: Path) -> list[str]:
    """The tags of releases, in the order of their versions."""
    return git(root, "tag", "--list", TAGS, "--sort", "version:refname").split()


def kept_files(root: Path, tag: str) -> dict[str, str]:
    """The migrations and fixtures of a release, with git's hash of what they contain."""
    lines = git(root, "ls-tree", "-r", "-z", tag).split("\0")
    found = (line.split("\t", 1) for line in lines if line)
    return {name: about.split()[2] for about, name in found if KEPT.fullmatch(name)}


def changed_since_release(root: Path) -> list[str]:
    """A sentence for each such file that is gone or different in the working tree."""
    wrong = []
    for tag in releases(root):
        kept = kept_files(root, tag)
        there = [name for name in kept if (root / name).is_file()]
        now = dict(zip(there, git(root, "hash-object", "--", *there).split(), strict=True)) if there else {}
        wrong += [f"{name} is not there, but in {tag}." for name in kept if name not in now]
        wrong += [f"{name} is not as in {tag}." for name in there if now[name] != kept[name]]
    return wrong
