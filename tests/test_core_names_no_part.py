"""The core names no part, and a part names none but those that it needs: no module, address, template, style, table."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps

from config.environment import part_environments
from config.parts import OPTIONAL, parts_by_key
from tests.house import ROOT, named, tracked

NOT_OF_THE_CORE = ("parts", "tests", "benchmarks", "docs", "client_library", "locale", "deploy", "scripts")
THE_LIST = ("config/parts.py",)
ORDINARY = {"mail", "checks", "steps", "dry_run"}
"""Words of the language, and the mark by which the core keeps dry runs from costs and out of its claims."""
KINDS = (".py", ".html", ".js", ".css", ".txt", ".yaml")


def namespaces(keys: Iterable[str]) -> list[str]:
    """The namespaces of the parts' addresses."""
    found = []
    for key in keys:
        urls = ROOT / "parts" / key / "urls.py"
        if urls.is_file():
            found += re.findall(r'^app_name = "(\w+)"', urls.read_text(encoding="utf-8"), re.MULTILINE)
    return found


def sections(keys: Iterable[str]) -> list[str]:
    """The keys of study files by which studies declare parts; those that are ordinary words are left to reviews."""
    declared = {name for key in keys for name in OPTIONAL[key]}
    return sorted({*declared, *(name.removeprefix("recruiting.") for name in declared)} - ORDINARY)


def own_files(keys: Collection[str]) -> list[str]:
    """The names by which templates and static files of parts are loaded."""
    found = set()
    for path in tracked():
        folders = path.relative_to(ROOT).parts
        if len(folders) > 3 and folders[0] == "parts" and folders[1] in keys and folders[2] in ("templates", "static"):
            found.add("/".join(folders[3:]))
    return sorted(found)


def variables(keys: Collection[str]) -> list[str]:
    """The environment variables that parts read."""
    return sorted(name for environment in part_environments(keys) for name in environment.VARIABLES)


def tables(keys: Collection[str]) -> list[str]:
    return sorted(model._meta.db_table for model in apps.get_models() if model._meta.app_label in keys)


@cache
def classes_by_part() -> dict[str, set[str]]:
    """The classes that styles know, by the part that they are of; those of the core under no key."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in tracked():
        if path.suffix == ".css" and "vendor" not in path.parts:
            folders = path.relative_to(ROOT).parts
            selectors = re.sub(r"/\*.*?\*/|\{[^{}]*\}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            found[folders[1] if folders[0] == "parts" else ""].update(re.findall(r"\.([a-z][\w-]*)", selectors))
    return found


def classes(keys: Collection[str]) -> list[str]:
    """The classes that styles of these parts alone know."""
    found = classes_by_part()
    others = set().union(*(names for key, names in found.items() if key not in keys))
    return sorted(set().union(*(found[key] for key in keys if key in found)) - others)


@cache
def patterns(keys: frozenset[str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """What names these parts, by what it names of them."""
    one_of = "|".join
    texts = {
        "a module": rf"""^\s*(?:from|import) parts\.(?:{one_of(keys)})\b|["'`]parts[./](?:{one_of(keys)})\b""",
        "an address": rf"""["'](?:{one_of(namespaces(keys))}):\w+""",
        "a table": rf"\b(?:{one_of(tables(keys))})\b",
        "a variable": rf"\b(?:{one_of(variables(keys))})\b",
        "a section": rf"""["'`](?:{one_of(map(re.escape, sections(keys)))})["'`]""",
        "a class": rf"""\bclass="[^"{{]*(?<![\w-])(?:{one_of(classes(keys))})(?![\w-])""",
        "a file": rf"""["'](?:{one_of(map(re.escape, own_files(keys)))})["']""",
    }
    return tuple((kind, re.compile(text, re.MULTILINE)) for kind, text in texts.items() if "(?:)" not in text)


def core_files() -> list[Path]:
    return [
        path for path in tracked()
        if path.suffix in KINDS and path.relative_to(ROOT).parts[0] not in NOT_OF_THE_CORE
        and "vendor" not in path.parts and named(path) not in THE_LIST
    ]  # fmt: skip


def named_parts(text: str, keys: Collection[str] = OPTIONAL) -> list[str]:
    """What a text names of these parts."""
    found = ((kind, match) for kind, pattern in patterns(frozenset(keys)) for match in pattern.finditer(text))
    return [f"{kind}: {match.group(0)}" for kind, match in found]


def test_the_core_names_no_part():
    files = core_files()
    assert len(files) > 500
    found = {named(path): parts for path in files if (parts := named_parts(path.read_text(encoding="utf-8")))}
    assert found == {}


@pytest.mark.parametrize("key", OPTIONAL)
def test_a_part_names_none_but_those_that_it_needs(key):
    strange = OPTIONAL.keys() - {key, *parts_by_key()[key].needs}
    own = [path for path in tracked() if path.suffix in KINDS and named(path).startswith(f"parts/{key}/")]
    assert own
    found = {named(path): parts for path in own if (parts := named_parts(path.read_text(encoding="utf-8"), strange))}
    assert found == {}


@pytest.mark.parametrize(
    "text",
    [
        'import_module("parts.checks.part")',
        "{% url 'webhooks:webhooks' study.slug %}",
        "SELECT 1 FROM routing_quotamember",
        "if settings.WEBHOOK_HOSTS:",
        '{% include "checks/_lead.html" %}',
        '<p class="muted topic-list">',
    ],
)
def test_a_named_part_is_found(text):
    assert named_parts(text)
