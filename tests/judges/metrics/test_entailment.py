"""Entailment by a tiny classifier and a tiny T5, against probabilities that are computed here."""

import numpy as np
import pytest

from judges.metrics import MetricError, MetricInput, metrics
from tests.judges.tiny_models import needs_torch, tiny_classifier

pytestmark = needs_torch
PAIRS = [
    ("the ferry leaves at night .", "dogs are free"),
    ("a b c", "a"),
    ("in winter the train sails , the ferry", ""),
    ("dogs", "the train leaves at night in winter"),
]
INPUTS = [MetricInput(output, document) for document, output in PAIRS]


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    return tiny_classifier(tmp_path_factory.mktemp("nli"), ["contradiction", "NEUTRAL", "Entailment"])


def entailment(inputs: list[MetricInput], folder, **options) -> list[float]:
    found = metrics()["entailment"].scores(inputs, {"model": str(folder), "device": "cpu", **options})
    return [one.value for one in found]


def softmax(logits) -> np.ndarray:
    shifted = np.exp(logits.numpy().astype(np.float64) - float(logits.max()))
    return shifted / shifted.sum()


def test_a_classifier_gives_the_share_of_its_label(classifier):
    import torch
    from transformers import AutoTokenizer, RobertaForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(classifier)
    model = RobertaForSequenceClassification.from_pretrained(classifier).eval()
    expected = []
    for document, output in PAIRS:
        with torch.no_grad():
            logits = model(**tokenizer(document, output, return_tensors="pt")).logits[0]
        expected.append(softmax(logits)[2])
    for size in (1, 3, 16):
        assert entailment(INPUTS, classifier, batch_size=size) == pytest.approx(expected, abs=1e-5)
    assert np.ptp(expected) > 0.01


def test_t5_gives_the_share_of_1_among_all_tokens(t5):
    import torch
    from transformers import AutoTokenizer, T5ForConditionalGeneration

    tokenizer, model = AutoTokenizer.from_pretrained(t5), T5ForConditionalGeneration.from_pretrained(t5).eval()
    expected = []
    for document, output in PAIRS:
        given = tokenizer(f"premise: {document} hypothesis: {output}", return_tensors="pt")
        with torch.no_grad():
            logits = model(**given, decoder_input_ids=torch.tensor([[0]])).logits[0, 0]
        expected.append(softmax(logits)[tokenizer.convert_tokens_to_ids("1")])
    for size in (1, 3, 16):
        assert entailment(INPUTS, t5, batch_size=size) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("labels", [["LABEL_0", "LABEL_1"], ["entailment", "entailed"], ["not_entailment", "other"]])
def test_a_model_without_one_entailment_label_is_refused(tmp_path, labels):
    tiny_classifier(tmp_path, labels)
    with pytest.raises(MetricError, match=f"its labels are {', '.join(labels)}, and one must be called entailment"):
        entailment(INPUTS, tmp_path)


def test_a_long_document_is_cut_and_counted(classifier, t5):
    metric, long = metrics()["entailment"], MetricInput("dogs are free", "a b c d e " * 10)
    (found,) = metric.scores([long], {"model": str(classifier)})
    assert found.truncated == 50 + 3 + 3 - 20
    whole = MetricInput("dogs are free", "a b c d e " * 2 + "a b c d")
    assert found.value == pytest.approx(metric.scores([whole], {"model": str(classifier)})[0].value, abs=1e-6)
    # The words of the form, their two colons and the end are seven more tokens with the three of the output.
    (found,) = metric.scores([long], {"model": str(t5), "max_length": 20})
    assert found.truncated == 50 + 8 - 20
    kept = MetricInput("dogs are free", "a b c d e a b c d e a b")
    assert found.value == pytest.approx(metric.scores([kept], {"model": str(t5)})[0].value, abs=1e-7)


def test_an_output_that_is_too_long_for_t5_is_cut_last(t5):
    found = metrics()["entailment"].scores(
        [MetricInput("a b c d e " * 10, "dogs are free")], {"model": str(t5), "max_length": 20}
    )
    assert found[0].truncated == 53 + 5 - 20


def test_an_input_without_document_is_refused(t5):
    with pytest.raises(MetricError, match="Input 2 of 2 has no document"):
        entailment([INPUTS[0], MetricInput("a", " ", references=("b",))], t5)
