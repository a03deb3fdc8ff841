"""Methods near the best one: riSum's Table 4 as printed, and undefined values."""

import pytest

from parts.papers.figures.near_best import NO_ERROR, NO_VALUE, MethodColumn, near_best_table

pytestmark = pytest.mark.quick
RANK_DISTANCES = {
    "BLEURT GPT-4": (41.1, 1.9), "BLEURT F-PaLM": (48.8, 1.9), "ROUGE GPT-4": (35.4, 1.9),
    "ROUGE F-PaLM": (46.7, 1.9), "sentences": (54.8, 1.8), "words": (51.4, 2.0), "BARTScore": (45.0, 1.9),
    "BARTScore CNN": (43.7, 1.9), "T5": (38.8, 1.9), "softmax S": (43.6, 1.9), "softmax L": (39.9, 1.9),
    "Sc self": (42.8, 1.7), "Lc self": (37.1, 1.7), "Lc self no intro": (38.4, 1.8), "Lc self rationale": (43.2, 1.3),
    "Sc random": (42.7, 1.7), "Lc random": (37.0, 1.8), "Lc random no intro": (39.5, 1.8), "Sc multi": (45.7, 1.2),
    "Lc multi": (46.0, 1.2),
}  # fmt: skip
BOLD = {"ROUGE GPT-4", "T5", "Lc self", "Lc self no intro", "Lc random"}
"""The rank distances that the paper prints in bold; ROUGE with GPT-4's references is the best."""


def test_the_bold_rank_distances_of_the_source_study_are_marked():
    report = near_best_table({"rank_distance": MethodColumn(RANK_DISTANCES, higher=False)})
    marked = {name for name, row in report["methods"].items() if row["rank_distance"]["near_best"]}
    assert marked == BOLD
    assert report["best"] == {"rank_distance": "ROUGE GPT-4"}
    assert report["undefined"] == {}


def test_each_column_has_its_own_direction_and_best():
    auc = MethodColumn({"x": (81.7, 1.7), "y": (78.5, 1.9), "z": (77.8, 2.0)}, higher=True)
    distance = MethodColumn({"z": (39.0, 0.0), "x": (41.0, 2.0), "y": (42.0, 2.0)}, higher=False)
    report = near_best_table({"auc": auc, "distance": distance})
    marks = {name: (row["auc"]["near_best"], row["distance"]["near_best"]) for name, row in report["methods"].items()}
    assert marks == {"x": (True, True), "y": (True, False), "z": (False, True)}
    assert report["best"] == {"auc": "x", "distance": "z"}
    assert report["methods"]["x"]["auc"] == {"value": 81.7, "se": 1.7, "near_best": True}


@pytest.mark.parametrize(("gap", "near"), [(0.3, True), (0.31, False)])
def test_intervals_that_touch_overlap(gap, near):
    column = MethodColumn({"a": (0.9, 0.1), "b": (0.9 - gap, 0.2)}, higher=True)
    assert near_best_table({"c": column})["methods"]["b"]["c"]["near_best"] is near


def test_what_cannot_be_marked_says_why():
    first = MethodColumn({"a": (1.0, None), "b": (0.5, 0.1), "c": (None, None)}, higher=True)
    report = near_best_table({"one": first, "two": MethodColumn({"d": (None, None)}, higher=True)})
    assert [report["methods"][name]["one"]["near_best"] for name in "abcd"] == [True, None, None, None]
    assert report["best"] == {"one": "a", "two": None}
    assert report["undefined"]["methods.b.one.near_best"] == NO_ERROR
    assert report["undefined"]["methods.c.one.near_best"] == NO_VALUE
    assert report["undefined"]["methods.a.two.near_best"] == NO_VALUE
