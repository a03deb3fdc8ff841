"""The core names no part: no module, address, template, script, style or table of one, in Python, pages or scripts."""

import re
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps

from config.parts import OPTIONAL
from tests.house import ROOT, named, tracked

NOT_OF_THE_CORE = ("parts", "tests", "benchmarks", "docs", "client_library", "locale", "deploy", "scripts")
THE_LIST = ("config/parts.py",)
ORDINARY = {"mail", "checks", "steps", "dry_run"}
"""Words of the language, and the mark by which the core keeps dry runs from costs and out of its claims."""
KINDS = (".py", ".html", ".js", ".css", ".txt")


@cache
def namespaces() -> tuple[str, ...]:
    """The namespaces of the parts' addresses."""
    found = []
    for key in OPTIONAL:
        urls = ROOT / "parts" / key / "urls.py"
        if urls.is_file():
            found += re.findall(r'^app_name = "(\w+)"', urls.read_text(encoding="utf-8"), re.MULTILINE)
    return tuple(found)


@cache
def sections() -> tuple[str, ...]:
    """The keys of study files by which studies declare parts; those that are ordinary words are left to reviews."""
    keys = [key for declared in OPTIONAL.values() for key in declared if key not in ORDINARY]
    return tuple(name for key in keys for name in {key, key.removeprefix("recruiting.")} - ORDINARY)


@cache
def own_files() -> frozenset[str]:
    """The names by which templates and static files of parts are loaded."""
    found = set()
    for path in tracked():
        folders = path.relative_to(ROOT).parts
        if folders[0] == "parts" and len(folders) > 3 and folders[2] in ("templates", "static"):
            found.add("/".join(folders[3:]))
    return frozenset(found)


@cache
def tables() -> frozenset[str]:
    return frozenset(model._meta.db_table for model in apps.get_models() if model._meta.app_label in OPTIONAL)


@cache
def patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    keys = "|".join(OPTIONAL)
    return (
        ("a module", re.compile(rf"""^\s*(?:from|import) parts\b|["'`]parts[./](?:{keys})\b""", re.MULTILINE)),
        ("an address", re.compile(rf"""["'](?:{"|".join(namespaces())}):\w+""")),
        ("a table", re.compile(rf"\b(?:{'|'.join(sorted(tables()))})\b")),
        ("a section", re.compile(rf"""["'`](?:{"|".join(re.escape(name) for name in sections())})["'`]""")),
        ("a file", re.compile("|".join(rf"""["']{re.escape(name)}["']""" for name in sorted(own_files())))),
    )


def core_files() -> list[Path]:
    return [
        path for path in tracked()
        if path.suffix in KINDS and path.relative_to(ROOT).parts[0] not in NOT_OF_THE_CORE
        and "vendor" not in path.parts and named(path) not in THE_LIST
    ]  # fmt: skip


def named_parts(text: str) -> list[str]:
    """What a text of the core names of parts."""
    return [f"{kind}: {match.group(0)}" for kind, pattern in patterns() for match in pattern.finditer(text)]


def test_the_core_names_no_part():
    files = core_files()
    assert len(files) > 500
    found = {named(path): parts for path in files if (parts := named_parts(path.read_text(encoding="utf-8")))}
    assert found == {}


@pytest.mark.parametrize(
    "text",
    [
        'import_module("parts.checks.part")',
        "{% url 'webhooks:webhooks' study.slug %}",
        "SELECT 1 FROM routing_quotamember",
        '{% include "checks/_lead.html" %}',
    ],
)
def test_a_named_part_is_found(text):
    assert named_parts(text)
