"""Judges as re-rankers: a loop over items with an exact expectation over ties, and simulated picks."""

import numpy as np
import pytest

from agreement.meta_evaluation.output_answers import Outputs
from parts.papers.figures.reranking import NO_CANDIDATES, NO_ITEM, NO_OUTPUT, reranking_report
from tests.agreement.random_answers import random_outputs


def naive(people, judge, outputs):
    """The mean picked score, and the mean score of a random pick from the same outputs."""
    picked, random = [], []
    for item in range(outputs.items):
        own = np.flatnonzero((outputs.item == item) & ~np.isnan(people) & ~np.isnan(judge))
        if own.size > 1:
            best = [code for code in own if judge[code] == max(judge[own])]
            picked.append(np.mean(people[best]))
            random.append(np.mean(people[own]))
    return np.mean(picked), np.mean(random), len(picked)


@pytest.fixture
def scored():
    rng = np.random.default_rng(21)
    outputs = random_outputs(rng, items=25, missing=0.15)
    people = rng.integers(3, 16, outputs.size) / 3
    judges = [rng.integers(1, 4, outputs.size).astype(float) for _ in range(2)]
    people[rng.random(outputs.size) < 0.1] = np.nan
    judges[1][rng.random(outputs.size) < 0.3] = np.nan
    return people, judges, outputs


def test_figures_are_those_of_a_loop_over_items(scored):
    people, judges, outputs = scored
    report = reranking_report(people, {"one": judges[:1], "two": judges[1:]}, outputs, replicates=50)
    for name, judge in zip(("one", "two"), judges, strict=True):
        picked, random, items = naive(people, judge, outputs)
        found = report["judges"][name]
        assert (found["picked"], found["gain"]) == pytest.approx((picked, picked - random))
        assert found["items"] == items
        assert found["gain_ci"][0] <= found["gain"] <= found["gain_ci"][1]
    best, random, items = naive(people, people, outputs)
    assert (report["best_possible"], report["random_pick"], report["items"]) == pytest.approx((best, random, items))
    for code, name in enumerate(outputs.systems):
        assert report["systems"][name]["score"] == pytest.approx(np.nanmean(people[outputs.system == code]))


def test_ties_are_what_random_picks_converge_to(scored):
    people, (judge, _), outputs = scored
    rng = np.random.default_rng(2)
    simulated = [naive(people, judge + rng.random(judge.size) / 10, outputs)[0] for _ in range(400)]
    found = reranking_report(people, {"j": [judge]}, outputs, replicates=0)["judges"]["j"]["picked"]
    assert found == pytest.approx(np.mean(simulated), abs=4 * np.std(simulated) / 20)


def test_reruns_are_averaged(scored):
    people, judges, outputs = scored
    judges = [judges[0], judges[0][::-1].copy()]
    both = reranking_report(people, {"j": judges}, outputs, replicates=0)["judges"]["j"]["picked"]
    assert both == pytest.approx(np.mean([naive(people, judge, outputs)[0] for judge in judges]))


def test_what_is_undefined_says_why():
    outputs = Outputs(np.array([0, 1]), np.array([0, 1]), np.ones(2), ("a", "b"), 2)
    report = reranking_report(np.array([1.0, np.nan]), {"j": [np.ones(2)]}, outputs)
    assert report["random_pick"] is None
    assert report["undefined"]["random_pick"] == NO_CANDIDATES
    assert report["undefined"]["systems.b.score"] == NO_OUTPUT
    assert report["undefined"]["judges.j.picked"] == NO_ITEM
    with pytest.raises(ValueError, match="at least one rerun"):
        reranking_report(np.ones(2), {"j": []}, outputs)
