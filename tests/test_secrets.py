"""Nothing that is tracked names a package registry or this machine, or looks like a secret."""

import re

import pytest

from tests.house import named, tracked

REGISTRIES = [
    ".".join(pieces)
    for pieces in (
        ("py" + "pi", "org"), ("files", "python" + "hosted", "org"), ("registry", "npm" + "js", "org"),
        ("registry", "yarn" + "pkg", "com"), ("down" + "load", "py" + "torch", "org"),
    )
]  # fmt: skip
SECRETS = {
    "a private key": re.compile("-----BEGIN [A-Z ]*PRIVATE " + "KEY-----"),
    "a key of a model provider": re.compile(r"\bsk-" + r"[A-Za-z0-9_-]{20,}"),
    "a token of a code host": re.compile(r"\bgh[pousr]_" + r"[A-Za-z0-9]{30,}"),
    "a cloud access key": re.compile(r"\bAKIA" + r"[0-9A-Z]{16}\b"),
}
BINARY = {".png", ".jpg", ".ico", ".woff2", ".gz", ".mo"}


def readable() -> list[tuple[str, str]]:
    return [(named(path), path.read_text(encoding="utf-8")) for path in tracked() if path.suffix not in BINARY]


@pytest.mark.parametrize("host", REGISTRIES)
def test_no_file_names_a_package_registry(host):
    assert [name for name, text in readable() if host in text.lower()] == []


@pytest.mark.parametrize("kind", SECRETS)
def test_no_file_holds_a_secret(kind):
    assert [name for name, text in readable() if SECRETS[kind].search(text)] == []


FEW = {"requirements/sentry.txt": 2, "requirements/torch_cpu.txt": 1, "requirements/uv.txt": 1}
"""The lock files with few packages, and how many each has."""


def test_everything_locked_has_hashes():
    for name, text in readable():
        if name.startswith("requirements/") and name.endswith(".txt") and name != "requirements/torch.txt":
            entries = re.findall(r"^[a-z0-9].*?(?=^[a-z0-9]|\Z)", text, flags=re.MULTILINE | re.DOTALL)
            assert len(entries) >= FEW.get(name, 11)
            assert [entry for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []
            assert "://" not in text


def test_the_tests_run_with_the_versions_that_are_locked_to_run():
    locks = {
        name: set(re.findall(r"^([a-z0-9-]+==\S+)", text, re.MULTILINE))
        for name, text in readable()
        if "requirements/" in name
    }
    assert locks["requirements/base.txt"] <= locks["requirements/test.txt"]
    assert locks["requirements/retrieval.txt"] <= locks["requirements/models.txt"]


def test_a_package_locked_in_two_files_has_one_version():
    found: dict[str, dict[str, set[str]]] = {}
    for name, text in readable():
        if name.startswith("requirements/") and name.endswith(".txt"):
            for package, version in re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE):
                found.setdefault(package, {}).setdefault(name, set()).add(version.removesuffix("+cpu"))
    assert {
        package: files
        for package, files in found.items()
        if len({frozenset(versions) for versions in files.values()}) > 1
    } == {}
    assert sorted(found["torch"]) == [f"requirements/{name}.txt" for name in ("torch", "torch_cpu", "torch_default")]
