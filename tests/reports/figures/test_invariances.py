"""What must change no figure: names of systems and raters, and the order in which outputs, items and lines are listed.

With other names of systems, or outputs listed in another order, intervals stay, too: items are drawn by their numbers.
Rows about two systems are compared from the side of the one that is first by name.
"""

import json
import re

import pytest

from files.reading import import_study
from managing.items.summaries import _disagreements
from parts.datasets.unit_labels import aggregated_lines
from parts.power.power_report import _pilot
from parts.stopping import look_figures as looking_at
from parts.stopping.plan_spec import read_stopping
from reports.figures.agreement_report import agreement_report
from reports.figures.details_report import details_report
from reports.figures.meta_evaluation_report import meta_evaluation
from reports.figures.rater_disagreement import kept_disagreement
from reports.report_kinds.disagreement import disagreement_choices
from tests.reports.answered_worlds import OTHER_RATERS, QUESTIONS, RENAMED, SYSTEMS, World, renamed

pytestmark = pytest.mark.django_db
RULES = {
    "better": ("alpha", "alpha_masi", "win_rate"), "overall": ("alpha_masi", "alpha_masi_rankings", "win_rate"),
    "ends": ("alpha_best", "alpha_implied_pairs", "win_rate"), "good": ("alpha", "win_rate"), "follows": ("alpha",),
}  # fmt: skip
DRAWS = 25
BY_DRAWS = re.compile(
    r".*(_ci|_se|_p|_p_holm)|low|high|se|p|p_holm|deviation|letters|left_out|bootstrap|rank|rank_interval"
    r"|worst|methods|sentence|mark|href_2_composite|href_6"
)
"""What follows the order of the items: draws and folds, the order of equally bad ones, texts with intervals."""
SWAPPED = {
    "win": "loss", "loss": "win", "words": "other_words", "other_words": "words", "first_words": "second_words",
    "second_words": "first_words",
}  # fmt: skip
NEGATED = ("mean_difference", "difference", "t")
ONE_SIDED = "said of the first system alone"
TWO_SYSTEMS = re.compile(rf"({'|'.join(SYSTEMS)})(\W+)({'|'.join(SYSTEMS)})")


def reports(world, folder):
    """Everything that is computed from answers about outputs, read from the side of the first system by name."""
    study = import_study(world.write(folder)).study
    keys = list(study.questions.values_list("key", flat=True))
    rules = [
        {"figure": figure, "question": key, "until": "width", "width": 0.01} for key in keys for figure in RULES[key]
    ]
    plan = read_stopping({"looks": [10, 100_000], "rules": rules})
    figures = {
        "agreement": agreement_report(study, categories=True, replicates=DRAWS),
        "with machines": agreement_report(study, frozenset({"human", "model"}), replicates=DRAWS),
        "details": details_report(study, replicates=DRAWS),
        "disagreement": kept_disagreement(study, disagreement_choices()),
        "meta": meta_evaluation(study, replicates=DRAWS),
        "items": sorted(mean for mean, _ in _disagreements(study).values()),
        "look": looking_at.look_figures(study, plan, ())[1],
    }
    if world.protocol != "listwise":
        figures["pilot"] = _pilot(study, keys[0])
    if world.protocol == "pairwise":
        figures["labels"] = list(aggregated_lines(study))
    return json.loads(json.dumps(figures, default=str).replace(world.study["slug"], "plain"))


def oriented(value):
    """Figures with their rows in the order of their names, read from the side of the first system by name."""
    if isinstance(value, dict):
        value = turned({key: oriented(part) for key, part in value.items() if key != "pk"})
        if "worst" in value:
            value["worst"] = [key for _, key in value["worst"]]
        return {**value, **by_raters(value)} if {"raters", "equal"} <= value.keys() else value
    if isinstance(value, list):
        parts = [oriented(part) for part in value]
        by_name = all(isinstance(part, dict) and part.keys() & {"name", "systems", "item", "key"} for part in parts)
        return sorted(parts, key=name_of) if by_name else parts
    return value


def by_raters(matrix):
    """The cells of a matrix of raters, by their names."""
    names = matrix["raters"]
    order = sorted(range(len(names)), key=names.__getitem__)
    cells = {key: matrix[key] for key in ("n", "equal", "difference") if matrix[key]}
    turned = {key: [[rows[row][column] for column in order] for row in order] for key, rows in cells.items()}
    return {"raters": sorted(names), **turned}


def name_of(row):
    return json.dumps([row.get(key) for key in ("part", "name", "systems", "item", "output", "outputs", "key")])


def turned(row):
    for key in ("answers", "tied", "units", "outputs"):
        if isinstance(row.get(key), list):
            row[key] = sorted(row[key], key=json.dumps)
    systems, name = row.get("systems"), row.get("name")
    if isinstance(systems, list) and len(systems) == 2 and isinstance(systems[0], str) and systems > sorted(systems):
        return {**from_the_other_side(row), "systems": sorted(systems)}
    if isinstance(name, list) and len(name) == 2 and name > sorted(name):
        return {**row, "name": sorted(name), "value": 1 - row["value"]}
    of_two = TWO_SYSTEMS.fullmatch(name) if isinstance(name, str) else None
    if of_two and of_two[1] > of_two[3]:
        return {**row, "name": of_two[3] + of_two[2] + of_two[1], "cells": from_the_other_side(row["cells"])}
    return row


def from_the_other_side(row):
    made = {SWAPPED.get(key, key): value for key, value in row.items()}
    for key, value in made.items():
        figure = key.removesuffix("_ci")
        if figure in NEGATED:
            made[key] = with_ends_swapped(value, lambda number: -number)
        elif figure == "share":
            made[key] = with_ends_swapped(value, lambda number: 1 - number)
        elif figure.startswith("win_rate"):
            made[key] = ONE_SIDED
    return made


def with_ends_swapped(value, turn):
    if isinstance(value, dict):
        ends = {key: value.get(other) for key, other in (("value", "value"), ("low", "high"), ("high", "low"))}
        return value | {key: with_ends_swapped(end, turn) for key, end in ends.items() if key in value}
    if isinstance(value, list):
        return [with_ends_swapped(part, turn) for part in value[::-1]]
    return turn(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def differences(one, other, ignored=None, path=()):
    """Where two figures differ, with both values."""
    if ONE_SIDED in (one, other):
        return
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            if not (ignored and ignored.fullmatch(key)):
                yield from differences(one.get(key), other.get(key), ignored, (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (part, of_other) in enumerate(zip(one, other, strict=True)):
            yield from differences(part, of_other, ignored, (*path, number))
    elif isinstance(one, int | float) and isinstance(other, int | float):
        if one != pytest.approx(other, abs=1e-9, rel=1e-9):
            yield ".".join(map(str, path)), one, other
    elif one != other:
        yield ".".join(map(str, path)), one, other


def differing(one, other, ignored=None):
    return [str(row)[:200] for row in differences(one, other, ignored)][:20]


@pytest.mark.parametrize("protocol", list(QUESTIONS))
def test_what_means_nothing_changes_no_figure(tmp_path, protocol, monkeypatch):
    monkeypatch.setattr(looking_at, "count_answers", lambda study: 10)
    world = World(protocol)
    plain = reports(world, tmp_path / "plain")
    expected = oriented(plain)

    def back(other, names):
        found = reports(other, tmp_path / other.study["slug"])
        return oriented(renamed(found, {new: name for name, new in names.items()}))

    other = world.with_names("renamed", RENAMED).turned("turned").shuffled("lines-shuffled", "ratings", "scores")
    assert differing(expected, back(other, RENAMED)) == []
    assert differing(expected, back(world.shuffled("items-shuffled", "items"), {}), BY_DRAWS) == []
    kappas = re.compile(r"(cohen_kappa|kappa_linear|kappa_quadratic)_pairs(_ci)?|kappa_raters|missing")
    assert differing(expected, back(world.with_names("other-people", OTHER_RATERS), OTHER_RATERS), kappas) == []
