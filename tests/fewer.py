"""Cases of a test of which `make test` takes some, and `make thorough` all."""

from collections.abc import Sequence
from typing import Any

import pytest


def first_cases(cases: Sequence[Any], kept: int = 1) -> list[Any]:
    """The first `kept` in `make test`. If a test has several arguments, give each case as a tuple; a tuple that
    is one argument as `pytest.param(it)`."""
    return [*cases[:kept], *(_left_out(case) for case in cases[kept:])]


def chosen_cases(cases: Sequence[Any], chosen: Sequence[Any]) -> list[Any]:
    """Those that are chosen in `make test`, each of which must be among the cases."""
    assert set(chosen) <= set(cases), set(chosen) - set(cases)
    return [case if case in chosen else _left_out(case) for case in cases]


def _left_out(case: Any) -> Any:
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.thorough], id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.thorough)
