"""Titles of columns lead to sections of the document about statistics."""

import ast
import re

from tests.agreement.catalogue.test_catalogue import anchors
from tests.house import ROOT, nodes, sources

ANCHOR = re.compile(r"[a-z]+(-[a-z]+)+")


def test_every_anchor_of_a_column_is_in_the_document():
    texts = [
        node.value
        for path in sources()
        if path.is_relative_to(ROOT / "parts/papers")
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ANCHOR.fullmatch(node.value)
    ]
    assert len(texts) > 30
    assert set(texts) - anchors() == set()
