import re
from pathlib import Path

import pytest

from agreement.catalogue import FIGURES
from agreement.report import describe

DOCUMENT = Path(__file__).parents[2] / "docs" / "statistics.md"
NOT_FIGURES = {"level", "undefined", "bootstrap", "local_alpha.level"}


def anchors():
    headings = re.findall(r"^#+ (.+)$", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def names(report, path=()):
    """Dotted names of what a report holds, without systems and without what stands beside a figure."""
    for key, value in report.items():
        name = ".".join((*path, key))
        if name in NOT_FIGURES or key.endswith("_ci"):
            continue
        if path and path[0] == "aggregates" and len(path) == 1:
            for row in value.values():
                yield from (f"{name}.{column}" for column in ("score", "rank") if column in row)
        elif key in ("local_alpha", "aggregates"):
            yield from names(value, (*path, key))
        else:
            yield name


def test_the_catalogue_names_every_figure_of_a_report_and_no_other(ratings_of):
    report = describe(ratings_of({("i", "a"): {"r": 1, "s": 2}}), level="interval", scale=(1, 5))
    assert set(names(report)) == set(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_defined_under_its_anchor(name):
    assert FIGURES[name].anchor in anchors()


@pytest.mark.parametrize("name", FIGURES)
def test_every_line_is_one_sentence(name):
    line = FIGURES[name].line
    assert line.endswith(".")
    assert ". " not in line
