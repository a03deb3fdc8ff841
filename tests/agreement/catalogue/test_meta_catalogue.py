"""Every figure that compares judges with people is described, and nothing else."""

import dataclasses

import numpy as np
import pytest

from agreement.catalogue.meta_catalogue import BEYOND_AGREEMENT, JUDGES_AND_PEOPLE, META_FIGURES
from agreement.meta_evaluation.alternative_annotator import AlternativeAnnotator, PersonTest
from agreement.meta_evaluation.bias_card import bias_card
from agreement.meta_evaluation.calibration import Calibration
from agreement.meta_evaluation.compared_answers import (
    Judge,
    people_who_scored,
    rerun_of_choices,
    rerun_of_scores,
)
from agreement.meta_evaluation.corrected_means import METHODS, corrected_means
from agreement.meta_evaluation.judge_report import judge_report
from agreement.meta_evaluation.label_figures import human_row, label_report
from agreement.meta_evaluation.length_controlled import LengthControlled
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs, OutputScores
from agreement.meta_evaluation.panel import panel_of
from agreement.meta_evaluation.replacement_baselines import ReplacementBaselines
from agreement.meta_evaluation.style_controlled import Strength, StyleControlled

NAMES_AND_VERDICTS = {
    "undefined", "shape", "panel", "reason", "missing", "passes", "person", "wins", "system", "difficulty",
    "rank_interval", "value", "se", "interval",
}  # fmt: skip
"""Parts of results that say in words what the figures mean, or that every figure has."""


def names(report, path=()):
    """The dotted names of a report's figures, without intervals."""
    for key, value in report.items():
        if (key in NAMES_AND_VERDICTS and path != ("one_more_person",)) or key.endswith("_ci"):
            continue
        if isinstance(value, dict) and key != "spread" and path != ("one_more_person",):
            yield from names(value, (*path, key))
        else:
            yield ".".join((*path, key))


def fields(*kinds):
    return {field.name for kind in kinds for field in dataclasses.fields(kind)} - NAMES_AND_VERDICTS


@pytest.fixture
def compared():
    """Two people's yes or no about two systems on four items, and a judge with two reruns in both orders."""
    outputs = Outputs(np.repeat(np.arange(4), 2), np.tile([0, 1], 4), np.arange(8.0), ("a", "b"), 4)
    value = np.repeat([1.0, 0, 1, 0, 0, 1, 0, 1], 2)
    people = people_who_scored(
        outputs, OutputScores(np.repeat(np.arange(8), 2), np.tile([0, 1], 8), value, ("p", "q")), yes_or_no=True
    )
    first = np.array([0, 0, 2, 2, 4, 4])
    rows = OutputChoices(first, first + 1, first * 0, np.array([0, 0, 0, 1, 1, 1]), np.tile([0, 1], 3), ("j",))
    return people, Judge("j", [rerun_of_choices(outputs, rows)] * 2, np.array([True, False]))


def test_the_catalogue_names_every_figure_of_a_judges_report_and_no_other(compared):
    people, judge = compared
    report = judge_report(people, [judge], replicates=5)
    assert {*names(report["people"]), *names(report["judges"]["j"])} == set(JUDGES_AND_PEOPLE)
    for side in ("judge", "person"):
        assert set(names(report["judges"]["j"]["one_more_person"][side])) <= set(JUDGES_AND_PEOPLE)


def test_the_catalogue_names_every_figure_of_the_other_modules_and_no_other(compared):
    people, judge = compared
    labels = np.array([0, 1, 0, 1])
    rows = label_report(labels, labels, labels, ("x", "y"), [labels * 2], positive="x", replicates=0)
    scored = OutputScores(np.arange(8), np.zeros(8, int), np.arange(8.0), ("m",))
    panel = panel_of("p", [Judge("m", [rerun_of_scores(people.outputs, scored)])], people.outputs)
    means = corrected_means(np.ones(8), np.ones(8), people.outputs, yes_or_no=True)["a"]
    found = {
        "alternative_annotator": fields(AlternativeAnnotator, PersonTest, ReplacementBaselines),
        "corrected_means": set(names(means)),
        "panel": set(names(panel.about)),
        "length_controlled": fields(LengthControlled),
        "style_controlled": fields(StyleControlled, Strength),
        "bias_card": set(bias_card(judge, people, replicates=0)),
        "calibration": fields(Calibration),
        "labels": {
            "spread" if name.endswith("_spread") else name
            for report in (rows, rows["two_way"]["judge"], human_row(labels, labels, labels, "xy", positive="x"))
            for name in report
            if name not in ("two_way", "all_labels", "undefined") and not name.endswith(("_ci", "_sd"))
        }
        | {"spread"},
    }
    assert set(METHODS) <= found["corrected_means"]
    assert {f"{module}.{name}" for module, own in found.items() for name in own} == set(BEYOND_AGREEMENT)
    assert len(META_FIGURES) == len(JUDGES_AND_PEOPLE) + len(BEYOND_AGREEMENT)
