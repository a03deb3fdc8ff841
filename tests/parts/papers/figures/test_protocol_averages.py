"""Taus by model, protocol and dimension, and their averages, against a second computation."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import kendalltau

from parts.papers.figures.protocol_averages import JudgedDimension, protocol_report
from tests.agreement.random_answers import random_outputs

MODELS = {"gpt": ("compare", "eval", "score"), "llama": ("compare", "eval")}
DIMENSIONS = ("overall", "missing")


@pytest.fixture
def outputs():
    return random_outputs(np.random.default_rng(4), items=10)


@pytest.fixture
def judged(outputs):
    rng = np.random.default_rng(5)
    people = {name: rng.normal(size=outputs.size) for name in DIMENSIONS}
    return [
        JudgedDimension(model, protocol, name, people[name], rng.normal(size=outputs.size))
        for model, protocols in MODELS.items()
        for protocol, name in product(protocols, DIMENSIONS)
    ]


def taus(one, outputs):
    of_items = [
        kendalltau(one.people[outputs.item == item], one.judge[outputs.item == item]).statistic
        for item in range(outputs.items)
    ]
    means = [
        [scores[outputs.system == code].mean() for code in range(len(outputs.systems))]
        for scores in (one.people, one.judge)
    ]
    return kendalltau(*means).statistic, np.mean(of_items)


def both(found):
    return found["system_kendall_tau_b"], found["item_kendall_tau_b"]


def test_averages_run_over_dimensions_then_over_the_protocols_that_all_models_have(judged, outputs):
    report = protocol_report(judged, outputs, replicates=20)
    expected = {(one.model, one.protocol, one.dimension): taus(one, outputs) for one in judged}
    for model, protocols in MODELS.items():
        own = report["models"][model]
        for protocol in protocols:
            found = own["protocols"][protocol]
            parts = [expected[model, protocol, name] for name in DIMENSIONS]
            for name, part in zip(DIMENSIONS, parts, strict=True):
                assert both(found["dimensions"][name]) == pytest.approx(part)
            assert both(found) == pytest.approx(tuple(np.mean(parts, axis=0)))
        used = [expected[model, protocol, name] for protocol in ("compare", "eval") for name in DIMENSIONS]
        assert both(own) == pytest.approx(tuple(np.mean(used, axis=0)))
        assert own["protocols_averaged"] == ["compare", "eval"]
        assert own["item_kendall_tau_b_ci"][0] <= own["item_kendall_tau_b"] <= own["item_kendall_tau_b_ci"][1]


def test_the_averaged_protocols_can_be_chosen(judged, outputs):
    report = protocol_report(judged, outputs, averaged=("score",), replicates=0)
    gpt, llama = (report["models"][model] for model in MODELS)
    assert both(gpt) == both(gpt["protocols"]["score"])
    assert both(llama) == (None, None)
    assert "averaged protocols" in report["undefined"]["models.llama.item_kendall_tau_b"]


def test_outputs_that_both_scored_are_counted(outputs):
    judge = np.arange(outputs.size, dtype=float)
    judge[:3] = np.nan
    one = JudgedDimension("m", "p", "d", np.arange(outputs.size, dtype=float), judge)
    report = protocol_report([one], outputs, replicates=0)
    assert report["models"]["m"]["protocols"]["p"]["dimensions"]["d"]["outputs"] == outputs.size - 3
    with pytest.raises(ValueError, match="twice"):
        protocol_report([one, one], outputs)
    assert protocol_report([], outputs, replicates=0)["models"] == {}
