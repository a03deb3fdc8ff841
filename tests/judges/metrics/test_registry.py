"""All metrics keep to one interface; none loads torch before it is used, or in the web process."""

import subprocess
import sys

import pytest

from judges.metrics import Metric, MetricError, MetricInput, MetricOptionError, Scored, metrics
from judges.metrics.model_loading import library
from tests.house import ROOT

KEYS = ["bartscore", "bleurt", "embedding", "entailment", "rouge", "sentences", "words"]


def test_every_metric_is_found_and_says_what_it_needs():
    assert list(metrics()) == KEYS
    assert [key for key, metric in metrics().items() if metric.extra] == [
        "bartscore",
        "bleurt",
        "embedding",
        "entailment",
    ]
    for metric in metrics().values():
        assert metric.name
        assert metric.checked({}) == {name: option.default for name, option in metric.options.items()}
        assert metric.scores([], {}) == []
        for option in metric.options.values():
            assert option.help.endswith(".")
            assert option.problem(option.default, paths=False) is None


@pytest.mark.parametrize(
    ("key", "options", "sentence"),
    [
        ("embedding", {"max_length": 7}, "max_length of embedding must be a whole number from 8 to 1000000; it is 7"),
        ("embedding", {"batch_size": True}, "batch_size of embedding must be a whole number"),
        ("bleurt", {"batch_size": 2.0}, "batch_size of bleurt must be a whole number"),
        ("bartscore", {"direction": "output"}, "direction of bartscore must be one of document-output"),
        ("entailment", {"model": ""}, "model of entailment must be the name of a model; it is ''"),
        ("entailment", {"model": None}, "must be the name of a model"),
        ("embedding", {"device": "tpu"}, "must be one of auto, cpu, cuda"),
        ("embedding", {"pooling": "cls"}, "embedding has no option 'pooling'. Its options: model, max_length"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(key, options, sentence):
    with pytest.raises(MetricOptionError) as refused:
        metrics()[key].scores([MetricInput("a", "b", ("c",))], options)
    assert sentence in str(refused.value)


def test_a_path_is_refused_if_the_caller_allows_only_names():
    metric = metrics()["embedding"]
    assert metric.checked({"model": "/etc"})["model"] == "/etc"
    with pytest.raises(MetricOptionError, match="must be the name of a model, not a path"):
        metric.checked({"model": "/etc"}, paths=False)
    with pytest.raises(MetricError, match="not the name of a model"):
        metric.configuration({"model": "../../etc"})


def test_a_value_that_is_not_finite_is_refused():
    class Broken(Metric):
        key = "broken"
        name = "Broken"

        def compute(self, inputs, options):
            return [Scored(1.0), Scored(float("nan"))]

    with pytest.raises(MetricError, match="broken is not a finite number for input 2 of 2"):
        Broken().scores([MetricInput("a"), MetricInput("b")], {})


def test_metrics_with_a_model_say_that_the_web_process_is_the_wrong_place(monkeypatch):
    monkeypatch.setitem(sys.modules, "config.wsgi", object())
    with pytest.raises(MetricError, match="only work in workers, not in the web process"):
        library("torch")


def test_a_missing_package_is_named():
    with pytest.raises(MetricError, match=r"package no_such_package, which is not installed\. `make dense`"):
        library("no_such_package.part")


def test_finding_and_describing_metrics_loads_no_large_library():
    code = (
        "import django, sys; django.setup(); from judges.metrics import metrics; "
        "[metric.checked({}) for metric in metrics().values()]; metrics()['rouge'].configuration({'stemming': True}); "
        "print(sorted({'torch', 'transformers', 'nltk', 'rouge_score', 'sentencex'} & set(sys.modules)))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    assert found.stdout.strip() == "[]"
