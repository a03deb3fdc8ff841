import re
from pathlib import Path

import numpy as np
import pytest

from agreement.arrays.best_worst_answers import collect_best_worst
from agreement.catalogue.details_catalogue import DETAIL_COLUMNS, DETAIL_TABLES, EXCLUDED
from agreement.catalogue.disagreement_catalogue import DISAGREEMENT, GROUPS
from agreement.catalogue.meta_catalogue import META_FIGURES
from agreement.catalogue.report_catalogue import FIGURES
from agreement.catalogue.table_catalogue import COLUMNS, TABLES
from agreement.catalogue.turn_catalogue import TURN_FIGURES
from agreement.question_figures.best_worst_report import describe_best_worst
from agreement.question_figures.pair_report import describe_choices, describe_rankings
from agreement.question_figures.question_report import describe
from agreement.reliability.dimensions import describe_dimensions
from agreement.spans.span_marks import Mark, collect_spans
from agreement.spans.span_report import describe_spans

DOCUMENT = Path(__file__).parents[3] / "docs" / "statistics.md"
NOT_FIGURES = {"level", "undefined", "bootstrap", "local_alpha.level"}


def anchors():
    headings = re.findall(r"^#+ (.+)$", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


BY_NAME = ("local_alpha", "aggregates", "mean", "annotator")
"""Mappings of figures; other mappings are of systems."""


def names(report, path=()):
    """The dotted names of a report's figures, without systems, intervals and numbers of systems' items."""
    for key, value in report.items():
        name = ".".join((*path, key))
        if name in NOT_FIGURES or key.endswith(("_ci", "_items")):
            continue
        if path and path[0] == "aggregates" and len(path) == 1:
            for row in value.values():
                yield from (f"{name}.{column}" for column in ("score", "rank") if column in row)
        elif key in BY_NAME and isinstance(value, dict):
            yield from names(value, (*path, key))
        else:
            yield name


@pytest.fixture
def reports(ratings_of, choices_of, rankings_of):
    """One report of each kind."""
    both = rankings_of([("i", "r", {"a": 1, "b": 2}), ("i", "r", {"a": 2, "b": 1})])
    marks = [[Mark(0, 2)], []]
    spans = collect_spans(["i", "i"], ["a", "a"], ["r", "s"], marks, {("i", "a"): 5}, {("i", "a"): [(0, 5)]})
    dimensions = describe_dimensions(both.only(np.array([0])), both.only(np.array([1])))
    return [
        describe(ratings_of({("i", "a"): {"r": 1, "s": 2}}), level="interval", scale=(1, 5), with_icc=True),
        describe_choices(choices_of([("i", "a", "b", "r", "a")])),
        describe_rankings(both),
        describe_spans(spans, weighted=True),
        describe_best_worst(collect_best_worst(["i"], ["r"], ["a"], ["b"], [["a", "b"]])),
        {key: value for key, value in dimensions.items() if key in BY_NAME},
    ]


def test_the_catalogue_names_every_figure_of_a_report_and_no_other(reports):
    found = {name for report in reports for name in names(report)}
    assert {re.sub(r"^(mean|annotator)\.", "dimensions.", name) for name in found} == set(FIGURES)


CATALOGUES = {
    "figures": FIGURES, "columns": COLUMNS, "tables": TABLES, "turns": TURN_FIGURES, "judges": META_FIGURES,
    "disagreement": DISAGREEMENT, "groups": GROUPS,
    "details": DETAIL_TABLES, "columns of details": DETAIL_COLUMNS, "exclusions": EXCLUDED,
}  # fmt: skip


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_every_figure_is_defined_under_its_anchor(catalogue):
    known = anchors()
    assert [name for name, figure in CATALOGUES[catalogue].items() if figure.anchor not in known] == []


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_every_line_is_one_sentence(catalogue):
    lines = [figure.line for figure in CATALOGUES[catalogue].values()]
    assert [line for line in lines if not line.endswith(".") or ". " in line] == []
