"""The threat model in SECURITY.md: each threat has a protection and a test that exists, and gaps are listed."""

import re

import pytest

from tests.house import ROOT
from tests.named_tests import exists, is_left_out
from tests.test_reliability import CHECKS

PAGE = ROOT / "SECURITY.md"
ATTACKERS = {
    "A stranger", "Another site in the person's browser", "A rater", "A crowd worker, a bot or a rival",
    "A researcher or staff", "A former member",
    "A reader of what is published", "A file that somebody imports", "A model's output, or a text in its prompt",
    "An endpoint or its operator", "A package that we install, or a commit", "A mistake of the operator, or a fault",
}  # fmt: skip
NOT_ATTACKERS = ("Trusted", "Found and not fixed")
THREAT = re.compile(r"^- \*\*(.+?)\*\*: (.+?\.)\n((?:  - .*\n?)*)", re.MULTILINE | re.DOTALL)


def parts_of(text: str) -> dict[str, str]:
    """The parts of the threat model, by heading."""
    model = re.search(r"^## Threat model\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[1]
    pieces = re.split(r"^### (.+)\n", model, flags=re.MULTILINE)[1:]
    return dict(zip(pieces[::2], pieces[1::2], strict=True))


def faults_of(part: str) -> list[str]:
    """What is wrong with the threats of an attacker."""
    items = re.split(r"^(?=- )", part.strip() + "\n", flags=re.MULTILINE)[1:]
    found = [] if items else ["no threat"]
    for item in items:
        threat = THREAT.fullmatch(item)
        if threat is None:
            found.append(f"not a threat with its protection: {item.splitlines()[0]}")
            continue
        tests = re.findall(r"^  - `(.+)`$", threat[3], re.MULTILINE)
        if not tests:
            found.append(f"no test: {threat[1]}")
        found += [f"no such test: {test}" for test in tests if not exists(test)]
        if tests and all(exists(test) and is_left_out(test) for test in tests):
            found.append(f"only in make thorough: {threat[1]}")
    return found


PARTS = parts_of(PAGE.read_text(encoding="utf-8"))


def test_every_attacker_is_there():
    assert set(PARTS) - set(NOT_ATTACKERS) == ATTACKERS


@pytest.mark.parametrize("attacker", sorted(ATTACKERS))
def test_each_threat_has_a_protection_and_a_test_that_exists(attacker):
    assert faults_of(PARTS[attacker]) == []


def test_gaps_of_the_first_priority_are_listed_as_not_fixed():
    listed = {int(number) for number in re.findall(r"\(check (\d+)\)", PARTS["Found and not fixed"])}
    assert listed == {check.number for check in CHECKS if check.priority == "P0" and check.state != "shown"}


@pytest.mark.parametrize(
    ("part", "fault"),
    [
        ("", "no threat"),
        ("- **Guessing**: limits.\n", "no test: Guessing"),
        ("- **Guessing**: limits.\n  - `tests/test_names.py::test_x`\n", "no such test: tests/test_names.py::test_x"),
        ("- Guessing\n", "not a threat with its protection: - Guessing"),
    ],
)  # fmt: skip
def test_a_threat_without_a_test_is_found(part, fault):
    assert faults_of(part) == [fault]
