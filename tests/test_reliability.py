"""The list of checks in docs/reliability.md is complete, names tests that exist, and hides no gap."""

import re
from collections import Counter
from dataclasses import dataclass

import pytest

from tests.house import ROOT
from tests.named_tests import exists, is_left_out

PAGE = ROOT / "docs" / "reliability.md"
STATES = ("shown", "implemented", "partial", "missing", "not applicable")
PRIORITIES = ("P0", "P1", "P2")
NUMBERS = range(1, 100)
SHOWN_BEFORE_STRANGERS = range(29, 76)
"""The checks of the groups C to F, of which every P1 is shown: what several people, models, files and operators do."""
MOST_TESTS = 4
HEAD = re.compile(r"^\*\*(\d+)\*\* · (\S+) · ([^:]+): ", re.MULTILINE)
"""How a check begins: its number, priority and state; its promise follows."""
NAMED = re.compile(r"^- `(tests/[^`]+)`$", re.MULTILINE)
MISSING = re.compile(r"^- Missing: (.+?)(?=\n- |\n\n|\Z)", re.MULTILINE | re.DOTALL)
BY_HAND = re.compile(r"^- By hand: (.+?)(?=\n- |\n\n|\Z)", re.MULTILINE | re.DOTALL)
GROUP = re.compile(r"^## ([A-H])\. ", re.MULTILINE)

P0_NOT_SHOWN: set[tuple[int, str]] = set()
"""The P0 checks that are not shown whole, each with what the page says is missing: none."""


@dataclass(frozen=True)
class ListedCheck:
    """A check of the page: its promise and the tests that show it."""

    number: int
    priority: str
    state: str
    promise: str
    tests: tuple[str, ...]
    missing: str
    by_hand: str
    """How somebody can do what is missing."""


def checks_in(text: str) -> list[ListedCheck]:
    """Return the checks that a page of this form lists."""
    heads = list(HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    found = []
    for head, end in zip(heads, ends, strict=True):
        number, priority, state = head.groups()
        body = re.split(r"^## ", text[head.end() : end], flags=re.MULTILINE)[0]
        missing, by_hand = (" ".join(said[1].split()) if (said := line.search(body)) else ""
                            for line in (MISSING, BY_HAND))  # fmt: skip
        found.append(
            ListedCheck(
                int(number), priority, state, " ".join(body.split("\n\n")[0].split()), tuple(NAMED.findall(body)),
                missing, by_hand,
            )
        )  # fmt: skip
    return found


def open_before_strangers(checks: list[ListedCheck]) -> list[int]:
    """The P1 checks of the groups C to F that no test shows."""
    return [
        one.number
        for one in checks
        if one.number in SHOWN_BEFORE_STRANGERS and one.priority == "P1" and one.state != "shown"
    ]


def gaps_in(checks: list[ListedCheck]) -> set[tuple[int, str]]:
    return {(one.number, one.missing) for one in checks if one.priority == "P0" and one.state != "shown"}


CHECKS = checks_in(PAGE.read_text(encoding="utf-8"))


def test_every_check_is_listed_once_in_its_order():
    assert [one.number for one in CHECKS] == [*NUMBERS]


def test_states_and_priorities_are_of_the_known_words():
    assert [one for one in CHECKS if one.state not in STATES or one.priority not in PRIORITIES] == []
    assert [one.number for one in CHECKS if not one.promise.endswith(".")] == []


def test_every_test_that_is_named_exists():
    assert [test for one in CHECKS for test in one.tests if not exists(test)] == []
    assert [one.number for one in CHECKS if len(set(one.tests)) != len(one.tests) or len(one.tests) > MOST_TESTS] == []


def test_every_check_has_a_test_that_make_test_runs():
    assert [one.number for one in CHECKS if one.tests and all(map(is_left_out, one.tests))] == []


@pytest.mark.parametrize(
    ("test", "left_out"),
    [
        ("tests/faults/test_power_cuts.py::test_a_whole_copy_is_right_and_a_lost_answer_is_named", False),
        ("tests/load/test_processes.py::test_more_web_processes_behind_the_proxy_claim_no_more_than_the_quota", True),
        ("tests/faults/test_small_edition.py::test_after_a_fault_ledgers_database_and_export_agree", False),
    ],
)
def test_marks_of_functions_modules_and_cases_are_read(test, left_out):
    assert is_left_out(test) is left_out


def test_what_is_shown_names_a_test_and_what_is_not_says_what_is_missing():
    assert [one.number for one in CHECKS if one.state == "shown" and not one.tests] == []
    assert [one.number for one in CHECKS if one.state != "shown" and not (one.missing and one.by_hand)] == []


def test_the_gaps_of_the_first_priority_are_the_known_ones():
    assert gaps_in(CHECKS) == P0_NOT_SHOWN


def test_everything_of_the_groups_c_to_f_is_shown_before_a_study_with_strangers():
    assert open_before_strangers(CHECKS) == []
    text = PAGE.read_text(encoding="utf-8")
    first = {found[1]: checks_in(text[found.start() :])[0].number for found in GROUP.finditer(text)}
    assert (first["C"], first["G"]) == (SHOWN_BEFORE_STRANGERS[0], SHOWN_BEFORE_STRANGERS[-1] + 1)


def test_the_counts_of_the_page_are_those_of_its_checks():
    text = PAGE.read_text(encoding="utf-8")
    states, of_p0 = Counter(one.state for one in CHECKS), Counter(one.state for one in CHECKS if one.priority == "P0")
    for state in STATES:
        assert f"| {state} | {states[state]} | {of_p0[state]} |" in text


@pytest.mark.parametrize(
    ("check", "number", "test", "gap"),
    [
        ("**7** · P0 · missing: It holds.\n\n- Missing: All\n  of it.\n", 7, None, (7, "All of it.")),
        ("**8** · P0 · shown: It\nholds.\n\n- `tests/test_names.py::test_gone`\n", 8, False, None),
        ("**9** · P1 · partial: It holds.\n\n- Missing: Much.\n- Note: x\n\n## Next\n\nText.\n", 9, None, None),
    ],
)
def test_a_gap_and_a_test_that_is_gone_are_found(check, number, test, gap):
    [found] = checks_in(f"# Page\n\n{check}")
    assert (found.number, found.promise) == (number, "It holds.")
    assert [exists(one) for one in found.tests] == ([] if test is None else [test])
    assert gaps_in([found]) == ({gap} if gap else set())


@pytest.mark.parametrize(
    ("head", "is_open"),
    [
        ("**66** · P1 · partial", True), ("**66** · P1 · missing", True), ("**66** · P1 · not applicable", True),
        ("**66** · P1 · shown", False), ("**66** · P2 · partial", False), ("**80** · P1 · partial", False),
    ],
)  # fmt: skip
def test_a_check_of_the_groups_c_to_f_that_is_not_shown_is_found(head, is_open):
    found = checks_in(f"{head}: It holds.\n\n- Missing: All of it.\n- By hand: Do\n  it.\n")
    assert found[0].by_hand == "Do it."
    assert bool(open_before_strangers(found)) == is_open
