"""House rules that matter, as checks: each names the file and line that breaks it."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.house import ROOT, named, nodes, sources, templates, tracked, tree

pytestmark = pytest.mark.quick
FILE_LINES, FUNCTION_LINES, VIEW_LINES, PAGE_LINES = 600, 50, 30, 150
TRIALS = ("tests", "benchmarks")
VAGUE = re.compile(r"^(helpers?|utils?|utilities|misc|common|managers?)$")
VAGUE_CLASS = re.compile(r"(Manager|Helper|Utils?)$")
FORBIDDEN_NAMES = {"mark_safe", "csrf_exempt", "get_or_create", "update_or_create", "format_html"}
ALLOWED_NAMES = {("parts/mail/views.py", "csrf_exempt")}
"""A mail program stops mails by a POST without a cookie (RFC 8058); the signed link itself is the proof."""
FORBIDDEN_MODULES = ("django.dispatch", "django.db.models.signals")
MARKUP = re.compile(
    r"</?(a|b|br|button|code|div|em|form|h[1-6]|input|i|li|ol|p|script|span|strong|style|svg|t[dhr]|table|ul)\b[^<]*>"
)
MUTABLE = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
CONFIGURATION = ("config/settings.py",)
READ_BY_PYTHON = {"__all__"}
ALSO_PLAIN_WORDS = {"category", "rank", "rating", "session", "spans", "text"}
"""Keys of parts that are also names of fields, levels or units, so that finding them says nothing."""
INLINE = re.compile(
    r"""\sstyle\s*=|\son[a-z]+\s*=\s*["']|<style\b|javascript:|\|safe\b|autoescape\s+off""", re.IGNORECASE
)
NUMBERED = re.compile(r"\bchecks? \d+\b|_checks?_\d|_\d+_and_\d+_", re.IGNORECASE)
"""A number of a list that is not in the repository tells its readers nothing."""
INLINE_SCRIPT = re.compile(r"<script\b(?![^>]*\bsrc=)(?![^>]*type=\"application/json\")", re.IGNORECASE)


def functions(path: Path) -> Iterator[ast.FunctionDef]:
    return (node for node in nodes(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def docstrings(path: Path) -> set[int]:
    """Return the ids of all texts that are statements: docstrings, and notes under attributes."""
    return {
        id(node.value) for node in nodes(path) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


@cache
def texts(path: Path) -> list[ast.Constant]:
    """Return all text constants except docstrings."""
    kept = docstrings(path)
    return [
        node
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in kept
    ]


def part_keys() -> set[str]:
    """The keys of protocols and question types, by the names of their modules, except ambiguous ones."""
    files = [path for path in sources() if path.parent.name in ("protocols", "questions") and path.stem != "__init__"]
    return {path.stem for path in files} - ALSO_PLAIN_WORDS


def test_files_are_short():
    files = [
        *sources(),
        *(path for path in tracked() if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in TRIALS),
    ]
    long = [f"{named(path)}: {count}" for path in files if (count := len(path.read_text().splitlines())) > FILE_LINES]
    assert long == []


def test_functions_are_short():
    long = []
    for path in sources():
        limit = VIEW_LINES if "views" in (path.stem, path.parent.name) else FUNCTION_LINES
        for function in functions(path):
            count = function.end_lineno - function.lineno + 1
            if count > limit:
                long.append(f"{named(path)}:{function.lineno}: {function.name} has {count} lines, {limit} are allowed")
    assert long == []


def test_templates_and_scripts_are_short():
    scripts = [path for path in tracked() if path.suffix == ".js" and "vendor" not in path.parts]
    ours = [*templates(), *(path for path in scripts if path.relative_to(ROOT).parts[0] in ("static", "parts"))]
    long = [f"{named(path)}: {count}" for path in ours if (count := len(path.read_text().splitlines())) > PAGE_LINES]
    assert len(ours) > 10
    assert long == []


def test_names_say_what_a_module_or_class_does():
    vague = [named(path) for path in sources() if VAGUE.match(path.stem) or VAGUE.match(path.parent.name)]
    for path in sources():
        classes = (node for node in nodes(path) if isinstance(node, ast.ClassDef))
        vague.extend(f"{named(path)}:{node.lineno}: {node.name}" for node in classes if VAGUE_CLASS.search(node.name))
    assert vague == []


def test_no_imports_inside_functions():
    inside = []
    for path in sources():
        for function in functions(path):
            statements = (node for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom))
            inside.extend(f"{named(path)}:{node.lineno}" for node in statements)
    assert inside == []


def test_no_shortcut_past_escaping_forgery_checks_or_the_audit():
    used = []
    for path in sources():
        for node in nodes(path):
            name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
            name = node.name if isinstance(node, ast.alias) else name
            if name in FORBIDDEN_NAMES and (named(path), name) not in ALLOWED_NAMES:
                used.append(f"{named(path)}:{node.lineno}: {name}")
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(FORBIDDEN_MODULES):
                used.append(f"{named(path)}:{node.lineno}: signals")
    assert used == []


def test_only_cleaned_markup_is_called_safe():
    called = []
    for path in sources():
        for node in nodes(path):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("SafeString", "SafeText")):
                cleaned = len(node.args) == 1 and ast.unparse(node.args[0]).startswith("nh3.clean(")
                called.extend([] if cleaned else [f"{named(path)}:{node.lineno}"])
    assert called == []


ERASER, ERASURE, TRIGGERS = "accounts/audited_erasure.py", "config/erasure.py", "config/triggers.py"
ERASURE_IS_WRITTEN = re.compile(r"^(\w+\.)*Erasure(\(|\..*\b(create|bulk_create|update|bulk_update|save)\()")


def test_only_the_audited_erasure_opens_one():
    """An open erasure lets evidence be changed. One module opens it, and leaves an entry in the audit."""
    found, calls = [], 0
    for path in sources():
        text = path.read_text(encoding="utf-8")
        says_erasure = "Erasure" in text
        for node in nodes(path) if says_erasure or "open_erasure" in text else ():
            place = f"{named(path)}:{getattr(node, 'lineno', 0)}"
            name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
            name = node.name if isinstance(node, ast.alias) else name
            if name == "open_erasure":
                calls += 1
                found.extend([f"{place}: open_erasure"] if named(path) != ERASER else [])
            if says_erasure and isinstance(node, ast.Call) and ERASURE_IS_WRITTEN.match(ast.unparse(node)):
                found.extend([f"{place}: writes an erasure"] if named(path) != ERASURE else [])
        if named(path) != TRIGGERS and "erasure" in text:
            found.extend(
                f"{named(path)}:{one.lineno}: config_erasure" for one in texts(path) if "config_erasure" in one.value
            )
    assert found == []
    assert calls == 3, "an import and two calls: the rule sees them"


LOCKS = "annotation/studies/locking.py"
LOCKED_ONLY_THERE = re.compile(r"^(Study|Rater)\b")


def test_row_locks_leave_foreign_keys_alone():
    """`FOR UPDATE` keeps everybody waiting who adds a row that refers to the locked one."""
    found = []
    for path in sources():
        calls = (node for node in nodes(path) if isinstance(node, ast.Call))
        for call in calls:
            if not isinstance(call.func, ast.Attribute) or call.func.attr != "select_for_update":
                continue
            place, given = f"{named(path)}:{call.lineno}", {one.arg: ast.unparse(one.value) for one in call.keywords}
            if given.get("no_key") != "True":
                found.append(f"{place}: say no_key=True")
            if LOCKED_ONLY_THERE.match(ast.unparse(call.func)) and named(path) != LOCKS:
                found.append(f"{place}: lock studies and raters by {LOCKS}")
    assert found == []


EDGES_OF_TASKS = tuple(f"config/background/{name}.py" for name in ("claiming", "sweeping", "worker_upkeep"))
"""These modules catch and log any error of background work, so other rows continue."""


def test_only_expected_errors_are_caught():
    broad = []
    for path in sources():
        if named(path) in EDGES_OF_TASKS:
            continue
        for node in nodes(path):
            if not isinstance(node, ast.ExceptHandler):
                continue
            caught = ast.unparse(node.type) if node.type else "everything"
            ends_with_raise = isinstance(node.body[-1], ast.Raise) and node.body[-1].exc is None
            if caught in ("Exception", "BaseException", "everything") and not ends_with_raise:
                broad.append(f"{named(path)}:{node.lineno}: catches {caught}")
    assert broad == []


def test_no_state_in_modules():
    state = []
    for path in sources():
        if named(path) in CONFIGURATION or path.name.endswith("urls.py"):
            continue
        for node in tree(path).body:
            targets = (
                node.targets
                if isinstance(node, ast.Assign)
                else [node.target]
                if isinstance(node, ast.AnnAssign)
                else []
            )
            names = {target.id for target in targets if isinstance(target, ast.Name)}
            # Upper case says constant; lower case in a module that holds a list or mapping is somebody's cache.
            if (
                names
                and isinstance(node.value, MUTABLE)
                and not names <= READ_BY_PYTHON
                and not all(n.isupper() for n in names)
            ):
                state.append(f"{named(path)}:{node.lineno}: {', '.join(sorted(names))}")
        state.extend(f"{named(path)}:{node.lineno}: global" for node in nodes(path) if isinstance(node, ast.Global))
    assert state == []


def test_markup_lives_in_templates():
    found = [
        f"{named(path)}:{node.lineno}: {node.value[:60]!r}"
        for path in sources()
        for node in texts(path)
        if MARKUP.search(node.value)
    ]
    assert found == []


def comparisons(path: Path) -> Iterator[tuple[int, str]]:
    """Return where a protocol or a question's type is compared with a key."""
    keys = part_keys() | ALSO_PLAIN_WORDS
    for node in nodes(path):
        if (
            isinstance(node, ast.Compare)
            and isinstance(node.left, ast.Attribute)
            and node.left.attr in ("protocol", "type")
        ):
            for one in node.comparators:
                if isinstance(one, ast.Constant) and one.value in keys:
                    yield node.lineno, one.value


def test_no_part_is_named_outside_its_home():
    """Protocols and question types are asked through their registries, never compared by key.

    Files of other tools have words of their own, some of which are keys here.
    """
    keys, found = part_keys(), []
    assert keys
    for path in sources():
        if path.parent.name not in ("protocols", "questions") and "other_tools" not in path.parts:
            found.extend(f"{named(path)}:{node.lineno}: {node.value}" for node in texts(path) if node.value in keys)
            found.extend(f"{named(path)}:{line}: compares with {key}" for line, key in comparisons(path))
    for path in templates():
        if path.parent.name not in ("protocols", "questions"):
            words = re.findall(r"{%[^%]*?[\"'](\w+)[\"'][^%]*%}", path.read_text())
            found.extend(f"{named(path)}: {word}" for word in words if word in keys)
    assert found == []


def test_templates_hold_no_inline_script_or_style():
    """The content security policy refuses them; this test finds them before a browser does."""
    found = []
    for path in templates():
        if path.name == "bundle_report.html":  # a file that is downloaded, with its styles in it; no site serves it
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if INLINE.search(line) or INLINE_SCRIPT.search(line):
                found.append(f"{named(path)}:{number}: {line.strip()[:80]}")
    assert found == []


def test_first_migrations_create_tables_whole():
    """A constraint or index that is added later makes SQLite create the table again, in each test database."""
    later = [
        f"{named(path)}:{node.lineno}: {node.func.attr}"
        for path in tracked() if path.name == "0001_initial.py"
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("AddConstraint", "AddIndex")
    ]  # fmt: skip
    assert later == []


@pytest.mark.parametrize("folder", [path.parent for path in (ROOT / "tests").rglob("__init__.py")] or [None])
def test_tests_are_no_packages(folder):
    assert folder is None, f"{folder} is a package: `tests/sessions` would hide the app of that name"


def test_tests_are_named_for_behaviour_without_numbers_of_lists():
    numbered = []
    for path in (path for path in tracked() if path.suffix == ".py" and path.relative_to(ROOT).parts[0] == "tests"):
        named_nodes = (node for node in nodes(path) if isinstance(node, ast.FunctionDef | ast.ClassDef))
        said = [(node.lineno, f"{node.name} {ast.get_docstring(node) or ''}") for node in named_nodes]
        said.append((1, ast.get_docstring(tree(path)) or ""))
        numbered.extend(f"{named(path)}:{line}: {text[:80]}" for line, text in said if NUMBERED.search(text))
    assert numbered == []
