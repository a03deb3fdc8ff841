"""The list of p-values has each one that a catalogue describes, and docs/statistics.md has the same list."""

import re
from importlib.util import find_spec

from agreement.catalogue.p_values import P_VALUES, columns_of
from tests.agreement.catalogue.test_catalogue import CATALOGUES, DOCUMENT, anchors


def test_each_p_value_of_a_catalogue_is_in_the_list():
    described = {
        (one.title, one.line) for figures in CATALOGUES.values() for one in figures.values() if one.unit == "p"
    }
    assert len(described) > 8
    assert described <= {(one.title, one.line) for one in columns_of(P_VALUES).values()}


def test_each_p_value_names_its_module_and_its_definition():
    assert [one.key for one in P_VALUES if find_spec(one.computed_in) is None or one.anchor not in anchors()] == []


def test_the_document_has_the_same_list():
    _, _, section = DOCUMENT.read_text("utf-8").partition("\n## P-values\n")
    rows = re.findall(r"^\| `(.+?)` \| .+ \| (.+) \| (.+) \|$", section.partition("\n## ")[0], re.MULTILINE)
    assert rows[: len(P_VALUES)] == [(one.key, one.correction, one.shown) for one in P_VALUES]
