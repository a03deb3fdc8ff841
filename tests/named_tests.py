"""Tests that documents name as `tests/path.py::test_name`."""

import ast
from functools import cache
from importlib import import_module
from typing import Any

from tests.house import ROOT


@cache
def functions_of(path: str) -> frozenset[str]:
    """Return the names of the functions of a module of tests; none if there is no such file."""
    file = ROOT / path
    if not file.is_file():
        return frozenset()
    return frozenset(
        node.name for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)
    )


def exists(test: str) -> bool:
    path, _, name = test.partition("::")
    return name.startswith("test_") and name in functions_of(path)


def is_left_out(test: str) -> bool:
    """Whether `make test` leaves the test out, because all its cases are marked as thorough."""
    path, _, name = test.partition("::")
    module = import_module(path.removesuffix(".py").replace("/", "."))
    of_module = getattr(module, "pytestmark", [])
    marks = [
        *(of_module if isinstance(of_module, list) else [of_module]),
        *getattr(vars(module)[name], "pytestmark", []),
    ]
    return _thorough(marks) or any(_only_thorough_cases(mark) for mark in marks if mark.name == "parametrize")


def _thorough(marks: Any) -> bool:
    return any(mark.name == "thorough" for mark in marks)


def _only_thorough_cases(mark: Any) -> bool:
    cases = list(mark.args[1] if len(mark.args) > 1 else mark.kwargs["argvalues"])
    return bool(cases) and all(_thorough(getattr(case, "marks", ())) for case in cases)
