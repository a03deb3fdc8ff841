"""The list and the contract of parts: documented on one page, and members that nobody uses are gone."""

import inspect
import re

import pytest

from config.part import Part
from config.parts import CORE, OPTIONAL, parts, parts_by_key
from tests.house import ROOT, app_of, sources

BETWEEN_PARTS = {"people_with"}
"""Members of which only parts ask others, that need not know each other: whose mail address it is."""


def members() -> set[str]:
    return {name for name in vars(Part) if not name.startswith("_")}


def test_each_member_is_in_the_table_of_the_contract():
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    table = text.split("| about | members of `Part` |")[1].split("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", table)) == members()


def test_each_member_has_a_sentence_and_a_part_that_uses_it():
    source = inspect.getsource(Part)
    for name in members():
        used = name == "needs" or any(name in vars(type(part)) for part in parts())
        assert used, f"no app uses {name}: delete it"
        assert re.search(rf'{name}\b[^\n]*\n(?:\s[^\n]*\n)*?\s+"""[A-Z]', source), f"{name} has no sentence"


def test_the_core_asks_for_each_member():
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources() if app_of(path) in ("config", *CORE))
    unasked = {name for name in members() if not re.search(rf"\bpart\.{name}\b", text)}
    assert unasked == BETWEEN_PARTS


@pytest.mark.parametrize("key", OPTIONAL)
def test_each_part_is_declared_by_the_sections_that_it_reads(key):
    assert sorted(OPTIONAL[key]) == sorted(section.key for section in parts_by_key()[key].sections)


@pytest.mark.parametrize("key", OPTIONAL)
def test_each_part_has_a_readme_of_one_screen_that_says_what_it_needs(key):
    text = (ROOT / "parts" / key / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 50
    for words in ("**In `study.yaml`**", "**Adds to the core**", "**Needs**"):
        assert words in text, words
    for needed in parts_by_key()[key].needs:
        assert needed in text.split("**Needs**")[1], f"{key} needs {needed}"
