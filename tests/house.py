"""The project's own Python files, read once for the tests of house rules."""

import ast
import gc
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
APPS = (
    "config", "accounts", "annotation", "files", "sessions", "llm", "retrieval", "parts", "judges",
    "reports", "managing", "api", "operating", "agreement",
)  # fmt: skip


@cache
def tracked() -> tuple[Path, ...]:
    """What belongs to the repository: tracked files, and new ones that are not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    paths = (ROOT / name for name in sorted(listed.stdout.split("\0")) if name)
    return tuple(path for path in paths if path.is_file())


def named(path: Path) -> str:
    """The path as messages show it."""
    return path.relative_to(ROOT).as_posix()


def app_of(path: Path) -> str:
    """The app that a file belongs to, such as `annotation` or `parts.webhooks`."""
    top, *rest = path.relative_to(ROOT).parts
    return f"parts.{rest[0]}" if top == "parts" and len(rest) > 1 else top


def templates() -> list[Path]:
    """The templates of the core and of all parts."""
    return [
        path for path in tracked() if path.suffix == ".html" and "templates" in path.parts and "tests" not in path.parts
    ]


def template_name(path: Path) -> str:
    """The name by which a template is loaded."""
    parts = path.parts
    return "/".join(parts[parts.index("templates") + 1 :])


@cache
def sources() -> tuple[Path, ...]:
    """Python files of the apps and of `scripts`, without migrations."""
    return tuple(
        path
        for path in tracked()
        if path.suffix == ".py"
        and path.relative_to(ROOT).parts[0] in (*APPS, "scripts")
        and "migrations" not in path.parts
    )


@cache
def tree(path: Path) -> ast.Module:
    with _kept_for_good():
        return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Every node of the file, found once for all rules."""
    root = tree(path)
    with _kept_for_good():
        return tuple(ast.walk(root))


@contextmanager
def _kept_for_good() -> Iterator[None]:
    """Keep what is made out of garbage collection: looking through two million nodes again and again takes as long."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
