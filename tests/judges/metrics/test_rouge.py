"""ROUGE gives the numbers of the package rouge-score, and the highest over the references."""

import json
import random

import pytest
from rouge_score import rouge_scorer

from judges.metrics import MetricError, MetricInput, MetricOptionError, metrics
from judges.metrics.sentence_splitting import split_sentences
from tests.house import ROOT

pytestmark = pytest.mark.quick
VARIANTS = ("rouge1", "rouge2", "rougeLsum")
MEASURES = {"f1": "fmeasure", "precision": "precision", "recall": "recall"}
ODD = ("running", "runs", "happily", "happiness", "The", "U.S.", "naïve", "Ünï", "3.5", "don't")
WORDS = [*(f"w{number}" for number in range(30)), *ODD]
PINNED = ROOT / "tests" / "data" / "rouge_0_1_2.json"
"""Texts and what release 0.1.2 of the package, which has no wheel, gives for them."""


def rouge(output: str, *references: str, **options) -> float:
    (found,) = metrics()["rouge"].scores([MetricInput(output, references=references)], options)
    assert found.truncated == 0
    return found.value


def drawn_text(drawn: random.Random) -> str:
    ends = [" ", " ", " ", ". ", "\n", "\n\n", "\n \n"]
    return "".join(drawn.choice(WORDS) + drawn.choice(ends) for _ in range(drawn.randrange(60)))


@pytest.mark.thorough
@pytest.mark.parametrize("stemming", [False, True])
def test_values_are_those_of_the_package(stemming):
    drawn = random.Random(5)
    package = rouge_scorer.RougeScorer(VARIANTS, use_stemmer=stemming)
    positive = 0
    for _ in range(150):
        reference, output = drawn_text(drawn), drawn_text(drawn)
        theirs = package.score(reference, output)
        for variant in VARIANTS:
            for measure, name in MEASURES.items():
                ours = rouge(output, reference, variant=variant, measure=measure, stemming=stemming)
                assert ours == getattr(theirs[variant], name), (variant, measure, reference, output)
                positive += ours > 0
        mean = (theirs["rouge1"].fmeasure * theirs["rouge2"].fmeasure * theirs["rougeLsum"].fmeasure) ** (1 / 3)
        assert rouge(output, reference, stemming=stemming) == pytest.approx(mean, abs=1e-15)
    assert positive > 500


@pytest.mark.thorough
@pytest.mark.parametrize("vocabulary", [5, 40, 2000])
@pytest.mark.parametrize("end", [". ", ".\n"])
def test_values_of_long_texts_are_those_of_the_package(vocabulary, end):
    """300 words in one line or in twenty: from few words, so that subsequences are ambiguous, to mostly single ones."""
    drawn = random.Random(vocabulary)
    words = [*ODD, *(f"W{number}" for number in range(vocabulary))]
    weights = [1 / (place + 3) for place in range(len(words))]
    package = rouge_scorer.RougeScorer(VARIANTS)
    for _ in range(4):
        sentences = [" ".join(drawn.choices(words, weights, k=drawn.randrange(8, 22))) for _ in range(40)]
        reference, output = end.join(sentences[:20]), end.join(sentences[20:])
        theirs = package.score(reference, output)
        for variant in VARIANTS:
            assert rouge(output, reference, variant=variant) == theirs[variant].fmeasure, (variant, reference, output)


def test_values_are_those_of_the_newest_release():
    cases = json.loads(PINNED.read_text(encoding="utf-8"))
    assert len(cases) == 40
    for case in cases:
        for variant in VARIANTS:
            found = [
                rouge(case["output"], case["reference"], variant=variant, measure=measure, stemming=case["stemming"])
                for measure in MEASURES
            ]
            assert found == case[variant]


def test_a_pair_computed_by_hand():
    """Three of four and three of five words, two of three and two of four pairs; the longest run in order is 3."""
    output, reference = "the ferry leaves tonight", "the ferry leaves at noon"
    f1 = {"rouge1": 2 * 3 / (4 + 5), "rouge2": 2 * 2 / (3 + 4), "rougeLsum": 2 * 3 / (4 + 5)}
    for variant, value in f1.items():
        assert rouge(output, reference, variant=variant) == pytest.approx(value)
    product = f1["rouge1"] * f1["rouge2"] * f1["rougeLsum"]
    assert rouge(output, reference) == pytest.approx(product ** (1 / 3))
    assert rouge(output, reference, variant="rouge1", measure="recall") == pytest.approx(3 / 5)


def test_the_reference_with_the_highest_mean_counts():
    output = "one two three four"
    references = ("nothing in common here", "one two five six", "one two three seven")
    each = [rouge(output, reference) for reference in references]
    assert each[0] == 0 < each[1] < each[2]
    assert rouge(output, *references) == rouge(output, *references[::-1]) == each[2]


def test_rouge_lsum_takes_lines_or_sentences_one_by_one():
    output, reference = "Second one here. First one there.", "First one there. Second one here."
    lines = rouge(output, reference, variant="rougeLsum")
    assert lines == pytest.approx(0.5)
    assert rouge(output, reference, variant="rougeLsum", sentences="splitter") == 1
    drawn = random.Random(7)
    package = rouge_scorer.RougeScorer(["rougeLsum"])
    for _ in range(50):
        texts = [drawn_text(drawn).replace("\n", " ") for _ in range(2)]
        split = ["\n".join(split_sentences(text)) for text in texts]
        theirs = package.score(*split)["rougeLsum"].fmeasure
        assert rouge(texts[1], texts[0], variant="rougeLsum", sentences="splitter") == theirs


def test_empty_texts_score_zero():
    assert rouge("", "a reference") == rouge("an output", "") == rouge("", "") == rouge("…", "a b") == 0


def test_an_input_without_reference_is_refused():
    inputs = [MetricInput("a", references=("a",)), MetricInput("b", document="a document")]
    with pytest.raises(MetricError, match=r"Input 2 of 2 has no reference\. rouge compares outputs with references"):
        metrics()["rouge"].scores(inputs, {})


def test_wrong_options_are_refused():
    with pytest.raises(MetricOptionError, match="variant of rouge must be one of mean, rouge1"):
        rouge("a", "a", variant="rougeL")
    with pytest.raises(MetricOptionError, match="stemming of rouge must be true or false; it is 1"):
        rouge("a", "a", stemming=1)
    with pytest.raises(MetricOptionError, match="rouge has no option 'stemmer'"):
        rouge("a", "a", stemmer=True)


def test_the_configuration_names_what_decides_the_values():
    plain = metrics()["rouge"].configuration({})
    assert plain["options"] == {"variant": "mean", "measure": "f1", "stemming": False, "sentences": "lines"}
    assert list(plain["packages"]) == ["rouge-score"]
    other = metrics()["rouge"].configuration({"stemming": True, "sentences": "splitter"})
    assert list(other["packages"]) == ["rouge-score", "nltk", "sentencex"]
    assert all(other["packages"].values())
