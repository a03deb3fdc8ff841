"""The list of p-values has each one that a catalogue describes, and docs/statistics.md has the same list."""

import re
from importlib.util import find_spec

from agreement.catalogue.p_values import P_VALUES, columns_of
from tests.agreement.catalogue.test_catalogue import CATALOGUES, DOCUMENT, anchors
from tests.house import ROOT, named


def test_each_p_value_of_a_catalogue_is_in_the_list():
    described = {
        (one.title, one.line) for figures in CATALOGUES.values() for one in figures.values() if one.unit == "p"
    }
    assert len(described) > 8
    assert described <= {(one.title, one.line) for one in columns_of(P_VALUES).values()}


def test_each_p_value_names_its_module_and_its_definition():
    assert [one.key for one in P_VALUES if find_spec(one.computed_in) is None or one.anchor not in anchors()] == []


def test_each_module_that_asks_for_the_tail_of_a_distribution_is_in_the_list():
    tail = re.compile(r"\.pvalue\b|\.sf\(|\.cdf\(")
    places = [path for app in ("agreement", "reports", "managing", "judges") for path in (ROOT / app).rglob("*.py")]
    modules = {named(path) for path in places if tail.search(path.read_text("utf-8"))}
    assert modules == {f"{one.computed_in.replace('.', '/')}.py" for one in P_VALUES}


def test_the_document_has_the_same_list():
    _, _, section = DOCUMENT.read_text("utf-8").partition("\n## P-values\n")
    rows = re.findall(r"^\| `(.+?)` \| .+ \| (.+) \| (.+) \|$", section.partition("\n## ")[0], re.MULTILINE)
    assert rows[: len(P_VALUES)] == [(one.key, one.correction, one.shown) for one in P_VALUES]
