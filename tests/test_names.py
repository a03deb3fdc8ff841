"""A name means one thing: no two modules of the core or of a part, and no two classes, share one."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from tests.house import ROOT, app_of, named, sources, tree

pytestmark = pytest.mark.quick
CONVENTIONS = {
    "__init__", "__main__", "access", "admin", "apps", "base", "erasing", "forms", "models",
    "part", "queries", "rows", "urls", "views",
}  # fmt: skip
"""Module names that every Django app of ours, or every backend for a database, gives the same meaning."""
LAYERS = {"api", "background", "commands", "models", "protocol_figures", "protocols", "questions", "views"}
"""Folders that may repeat a name of their app: the table, the page and the module of one subject."""
CLASS_CONVENTIONS = {"Command", "DatabaseWrapper", "Meta", "Migration"}


def subject(path: Path) -> tuple[str, str]:
    """The app and the layer of a module; modules outside the layers are one layer of their app."""
    app, folders = app_of(path), path.relative_to(ROOT).parts[1:-1]
    layer = next((folder for folder in folders if folder in LAYERS), "")
    return app, layer


def shared(places: dict[str, list[Path]]) -> list[str]:
    """The names that two apps use, or one app twice in a layer."""
    found = []
    for name, paths in sorted(places.items()):
        subjects = [subject(path) for path in paths]
        registered = {layer for _, layer in subjects} <= {"protocols", "protocol_figures", "views"}
        if (len({app for app, _ in subjects}) > 1 and not registered) or len(set(subjects)) < len(subjects):
            found.append(f"{name}: {', '.join(map(named, paths))}")
    return found


def test_a_module_name_means_one_thing():
    places: dict[str, list[Path]] = defaultdict(list)
    for path in sources():
        if path.stem not in CONVENTIONS and "migrations" not in path.parts:
            scope = app_of(path) if app_of(path).startswith("parts.") else "core"
            places[f"{scope}: {path.stem}"].append(path)
    assert len(places) > 100
    assert shared(places) == []


def test_a_class_name_is_used_once():
    places: dict[str, list[str]] = defaultdict(list)
    for path in sources():
        if "migrations" not in path.parts:
            for node in tree(path).body:
                if isinstance(node, ast.ClassDef) and node.name not in CLASS_CONVENTIONS:
                    places[node.name].append(f"{named(path)}:{node.lineno}")
    assert len(places) > 100
    assert [f"{name}: {', '.join(where)}" for name, where in sorted(places.items()) if len(where) > 1] == []


def test_a_shared_module_name_is_found():
    same = [ROOT / "annotation/views/tokens.py", ROOT / "annotation/members/tokens.py"]
    assert shared({"tokens": same}) == []
    assert shared({"tokens": [*same, ROOT / "llm/tokens.py"]})
    assert shared({"lines": [ROOT / "files/writing/lines.py", ROOT / "reports/figures/rows/lines.py"]})
