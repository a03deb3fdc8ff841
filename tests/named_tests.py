"""Tests that documents name as `tests/path.py::test_name`."""

import ast
from functools import cache

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
