"""Imports point one way: each app may use those below it, parts may use the core and the parts that they need."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from config.parts import OPTIONAL, parts_by_key
from tests.house import APPS, ROOT, app_of, named, nodes, sources, tracked, tree

pytestmark = pytest.mark.quick
BELOW = {
    "config": set(),
    "agreement": set(),
    "accounts": {"config"},
    "annotation": {"config", "accounts"},
    "files": {"config", "accounts", "annotation"},
    "llm": {"config", "accounts", "annotation", "files"},
    "retrieval": {"config", "accounts", "annotation", "files"},
    "sessions": {"config", "accounts", "annotation", "files", "llm", "retrieval"},
    "judges": {"config", "accounts", "annotation", "files", "llm", "retrieval", "sessions"},
    "reports": {
        "config",
        "agreement",
        "accounts",
        "annotation",
        "files",
        "llm",
        "retrieval",
        "sessions",
        "judges",
    },
    "managing": {
        "config",
        "agreement",
        "accounts",
        "annotation",
        "files",
        "llm",
        "retrieval",
        "sessions",
        "judges",
        "reports",
    },
    "api": {
        "config",
        "agreement",
        "accounts",
        "annotation",
        "files",
        "llm",
        "retrieval",
        "sessions",
        "judges",
        "reports",
        "managing",
    },
    "operating": {
        "config",
        "agreement",
        "accounts",
        "annotation",
        "files",
        "llm",
        "retrieval",
        "sessions",
        "judges",
        "reports",
        "managing",
        "api",
    },
    "scripts": set(),
}
PARTS = tuple(sorted(path.name for path in (ROOT / "parts").iterdir() if (path / "part.py").is_file()))
AT_THE_TOP = ("config/urls.py", "config/part.py", "config/parts.py")
"""The table of all addresses names the views of all apps, and the contract of parts names their types."""
WITHOUT_DJANGO = ("agreement", "scripts")
FOR_ALL = ("agreement.text_lengths",)
"""What a word is: any app but config and accounts may ask, and it needs no numpy, which web processes do not load."""
BEFORE_ANYTHING_IS_INSTALLED = ("scripts/virtual_environment.py", "scripts/stop_errors.py")
SETTINGS = "config/settings.py"
"""Names classes of all apps, as Django's settings do; scripts name modules that they start."""
DOTTED = re.compile(r"[a-z]\w*(\.\w+){2,}")
STANDARD = set(__import__("sys").stdlib_module_names)


def imported(node: ast.AST) -> list[str]:
    """The names of the modules that a statement imports."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return ["." * node.level + (node.module or "")]
    return []


def placed(node: ast.AST) -> list[str]:
    """What a text names as `import_string` takes it: something in one of our modules."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return [node.value] if is_text and is_place(node.value) else []


def is_place(text: str) -> bool:
    """Whether a text names one of our modules, or something in one."""
    if not DOTTED.fullmatch(text) or text.partition(".")[0] not in {*BELOW, "parts"}:
        return False
    module = ROOT.joinpath(*text.split(".")[:-1])
    return module.with_suffix(".py").is_file() or module.joinpath(*text.split(".")[-1:]).with_suffix(".py").is_file()


def imports_of(path: Path) -> list[tuple[int, str]]:
    return [(node.lineno, name) for node in nodes(path) for name in imported(node)]


def refused(path: Path, app: str, name: str) -> str | None:
    """Why the app may not import `name`, or None if it may."""
    top = name.partition(".")[0]
    if name in FOR_ALL and app not in ("config", "accounts"):
        return None
    if name.startswith("."):
        return "imports say the whole name of their module"
    if top == "tests":
        return "only tests import tests"
    if top in WITHOUT_DJANGO and top == "scripts" and app != "scripts":
        return "scripts are not part of the application"
    if top == "parts":
        return refused_part(app, name)
    if top in BELOW and app in BELOW and top != app and top not in BELOW[app] and named(path) not in AT_THE_TOP:
        return f"{app} may import {', '.join(sorted(BELOW[app])) or 'no app'}, not {top}"
    if top == "django" and app in WITHOUT_DJANGO:
        return f"{app} knows nothing of Django"
    if named(path) in BEFORE_ANYTHING_IS_INSTALLED and top not in STANDARD | {"scripts"}:
        return "runs before anything is installed"
    return None


def refused_part(app: str, name: str) -> str | None:
    """Why the app may not import the module `name` of a part, or None if it may."""
    key = name.split(".")[1] if "." in name else ""
    if not app.startswith("parts."):
        return f"{app} is of the core, which names no part"
    if app == f"parts.{key}" or key in parts_by_key()[app.removeprefix("parts.")].needs:
        return None
    return f"{app} does not name {key} under its needs"


def is_views(path: Path, name: str) -> bool:
    """Whether `name` is one of our modules of views, or something in one."""
    parts = name.split(".")
    return parts[0] in BELOW and "views" in parts and path.stem != "urls"


def names_of(node: ast.AST) -> list[str]:
    """What a statement imports, each with its module: `from a import b` may mean the module `a.b`."""
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return imported(node)


def imported_views(path: Path, code: ast.Module | None = None) -> list[str]:
    nodes = list(ast.walk(code or tree(path)))
    found = [(node.lineno, name) for node in nodes for name in names_of(node) if is_views(path, name)]
    return [f"{named(path)}:{line}: only urls.py imports views, not {name}" for line, name in found]


def offences(path: Path, code: ast.Module | None = None) -> list[str]:
    app = app_of(path)
    names = imported if named(path) == SETTINGS or app == "scripts" else lambda node: [*imported(node), *placed(node)]
    found = [(node.lineno, name) for node in ast.walk(code or tree(path)) for name in names(node)]
    reasons = [(line, refused(path, app, name)) for line, name in found]
    return [f"{named(path)}:{line}: {reason}" for line, reason in reasons if reason]


def test_imports_point_one_way():
    assert len(sources()) > 50
    assert [offence for path in sources() for offence in offences(path)] == []


def test_what_all_apps_may_import_knows_nothing_of_the_others():
    assert {
        top.partition(".")[0] for name in FOR_ALL for _, top in imports_of(ROOT / f"{name.replace('.', '/')}.py")
    } <= STANDARD


def test_only_tables_of_addresses_import_views():
    assert [offence for path in sources() for offence in imported_views(path)] == []
    library = ast.parse("from annotation.views.desk import desk")
    assert imported_views(ROOT / "sessions/views/session.py", library)
    assert imported_views(ROOT / "llm/door.py", ast.parse("from llm import views"))
    assert imported_views(ROOT / "annotation/urls.py", library) == []


def test_every_app_has_its_place_in_the_order():
    folders = {path.parent.name for path in tracked() if path.name == "__init__.py" and path.parent.parent == ROOT}
    assert set(APPS) == folders
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(project["tool"]["ruff"]["lint"]["isort"]["known-first-party"]) == folders | {"scripts"}
    assert set(APPS) | {"scripts"} == set(BELOW) | {"parts"}
    assert set(PARTS) == set(OPTIONAL) == set(parts_by_key())
    for app, below in BELOW.items():
        assert app not in below
        for lower in below:
            assert BELOW[lower] <= below, f"{app} may import {lower} but not all that {lower} imports"


@pytest.mark.parametrize(
    ("file", "code", "word"),
    [
        ("accounts/views.py", "from annotation.models import Study", "not annotation"),
        ("annotation/views/desk.py", "import reports.figures.rows", "not reports"),
        ("annotation/views/desk.py", "import agreement.reliability.alpha", "not agreement"),
        ("config/settings.py", "from agreement.text_lengths import tokens", "not agreement"),
        ("agreement/reliability/alpha.py", "import config.model_fields", "no app"),
        ("agreement/reliability/alpha.py", "from django.db import models", "nothing of Django"),
        ("annotation/desk/form_reading.py", "from . import text", "whole name"),
        ("reports/pages/views.py", "from tests.house import ROOT", "only tests"),
        ("scripts/virtual_environment.py", "import numpy", "before anything"),
        ("config/settings.py", "def f():\n    from accounts import views", "not accounts"),
        ("annotation/views/desk.py", "from parts.webhooks.models import Webhook", "names no part"),
        ("sessions/part.py", 'TABLE = "reports.figures.agreement_report.agreement_report"', "not reports"),
        ("annotation/part.py", 'RULES = "parts.checks.rules"', "names no part"),
        ("parts/webhooks/views.py", "from parts.nothing.models import Row", "under its needs"),
    ],
)
def test_a_wrong_import_is_found(file, code, word):
    (offence,) = offences(ROOT / file, ast.parse(code))
    assert word in offence
