"""BARTScore on a tiny BART, against likelihoods that are computed here token by token."""

import numpy as np
import pytest

from judges.metrics import MetricError, MetricInput, metrics
from tests.judges.tiny_models import needs_torch

pytestmark = needs_torch
START = 2
DOCUMENT, OUTPUT = "the ferry leaves at night , in winter the train .", "dogs are free"


def by_hand(folder, source: str, target: str) -> float:
    """The mean log-likelihood per token, one call of the model for each token of the target."""
    import torch
    from transformers import AutoTokenizer, BartForConditionalGeneration

    tokenizer, model = AutoTokenizer.from_pretrained(folder), BartForConditionalGeneration.from_pretrained(folder)
    given = tokenizer(source, return_tensors="pt")
    ids = tokenizer(target)["input_ids"]
    total = 0.0
    for place, token in enumerate(ids):
        with torch.no_grad():
            read = torch.tensor([[START, *ids[:place]]])
            logits = model.eval()(**given, decoder_input_ids=read).logits[0, -1].numpy().astype(np.float64)
        total += logits[token] - np.log(np.exp(logits - logits.max()).sum()) - logits.max()
    return total / len(ids)


def bartscore(inputs: list[MetricInput], folder, **options) -> list[float]:
    found = metrics()["bartscore"].scores(inputs, {"model": str(folder), "device": "cpu", **options})
    return [one.value for one in found]


@pytest.mark.parametrize(
    ("direction", "source", "target"),
    [
        ("document-output", DOCUMENT, OUTPUT),
        ("output-document", OUTPUT, DOCUMENT),
        ("reference-output", "a b c", OUTPUT),
        ("output-reference", OUTPUT, "a b c"),
    ],
)
def test_values_are_mean_likelihoods_in_each_direction(bart, direction, source, target):
    one = MetricInput(OUTPUT, DOCUMENT, references=("a b c",))
    (found,) = bartscore([one], bart, direction=direction)
    assert found == pytest.approx(by_hand(bart, source, target), abs=1e-5)
    assert found < -1


@pytest.mark.thorough
@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_batch_gives_what_each_text_gives_alone(bart, size):
    texts = ["dogs", DOCUMENT, "a b", "", "the train sails at night ."]
    inputs = [MetricInput(output, document) for output, document in zip(texts, [*texts[1:], DOCUMENT], strict=True)]
    inputs = [MetricInput(one.output, one.document or "a") for one in inputs]
    alone = [by_hand(bart, one.document, one.output) for one in inputs]
    assert bartscore(inputs, bart, batch_size=size) == pytest.approx(alone, abs=1e-5)
    assert bartscore(inputs, bart) == bartscore(inputs, bart)


def test_the_highest_reference_counts(bart):
    references = ("a b", "the train", "night .")
    each = [by_hand(bart, reference, OUTPUT) for reference in references]
    found = bartscore([MetricInput(OUTPUT, references=references)], bart, direction="reference-output")
    assert found == pytest.approx([max(each)], abs=1e-5)


def test_tokens_that_are_not_read_are_counted(bart):
    """The model reads 24 tokens, two of which are special."""
    options = {"model": str(bart)}
    metric, long = metrics()["bartscore"], MetricInput("a b " * 20, "c d e " * 10)
    assert [one.truncated for one in metric.scores([long], options)] == [(40 - 22) + (30 - 22)]
    cut = MetricInput("a b " * 11, "c d e " * 7 + "c")
    assert metric.scores([long], options)[0].value == pytest.approx(metric.scores([cut], options)[0].value, abs=1e-6)
    assert metric.scores([cut], options)[0].truncated == 0


def test_what_the_direction_needs_must_be_there(bart):
    with pytest.raises(MetricError, match="Input 1 of 1 has no document"):
        bartscore([MetricInput("a", references=("b",))], bart)
    with pytest.raises(MetricError, match="Input 1 of 1 has no reference"):
        bartscore([MetricInput("a", "b")], bart, direction="output-reference")


def test_an_encoder_alone_is_refused(roberta):
    with pytest.raises(MetricError, match="cannot be loaded"):
        bartscore([MetricInput("a", "b")], roberta)
