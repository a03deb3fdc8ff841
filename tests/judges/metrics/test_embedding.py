"""Embedding similarity on a tiny RoBERTa, against cosines that are computed here by numpy."""

import numpy as np
import pytest

from judges.metrics import MetricError, MetricInput, metrics
from judges.metrics.model_loading import model_folder
from tests.judges.tiny_models import needs_torch

pytestmark = needs_torch
TEXTS = ["the ferry leaves at night .", "dogs", "in winter , the train sails", "a b c d e a b c d e a b", ""]


def mean_vector(folder, text: str) -> np.ndarray:
    """The mean of the last layer over the tokens of one text alone, without padding."""
    import torch
    from transformers import AutoTokenizer, RobertaModel

    tokens = AutoTokenizer.from_pretrained(folder)(text, truncation=True, max_length=20, return_tensors="pt")
    with torch.no_grad():
        last = RobertaModel.from_pretrained(folder, add_pooling_layer=False).eval()(**tokens).last_hidden_state
    return last[0].numpy().astype(np.float64).mean(axis=0)


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.sqrt((one @ one) * (other @ other)))


def similarity(inputs: list[MetricInput], folder, **options) -> list[float]:
    found = metrics()["embedding"].scores(inputs, {"model": str(folder), "device": "cpu", **options})
    return [one.value for one in found]


def test_values_are_cosines_of_mean_vectors(roberta):
    inputs = [MetricInput(output, references=(reference,)) for output in TEXTS for reference in TEXTS]
    vectors = {text: mean_vector(roberta, text) for text in TEXTS}
    expected = [cosine(vectors[one.output], vectors[one.references[0]]) for one in inputs]
    found = similarity(inputs, roberta)
    assert found == pytest.approx(expected, abs=1e-5)
    assert min(found) < 0.9 < max(found)
    assert [value for one, value in zip(inputs, found, strict=True) if one.output in one.references] == pytest.approx(
        [1] * len(TEXTS)
    )


@pytest.mark.parametrize("size", [1, 2, 3, 32])
def test_a_batch_gives_what_each_text_gives_alone(roberta, size):
    inputs = [MetricInput(output, references=(TEXTS[0], TEXTS[2])) for output in TEXTS]
    alone = [similarity([one], roberta)[0] for one in inputs]
    assert similarity(inputs, roberta, batch_size=size) == pytest.approx(alone, abs=1e-5)
    assert similarity(inputs, roberta) == similarity(inputs, roberta)


def test_the_highest_reference_counts(roberta):
    each = [similarity([MetricInput(TEXTS[0], references=(text,))], roberta)[0] for text in TEXTS[1:]]
    assert similarity([MetricInput(TEXTS[0], references=tuple(TEXTS[1:]))], roberta) == pytest.approx([max(each)])
    assert len(set(each)) == len(each)


def test_tokens_that_are_not_read_are_counted(roberta):
    """The model reads 20 tokens, two of which are special: 30 words lose 12, in the output and in each reference."""
    metric, long = metrics()["embedding"], "a b c " * 10
    inputs = [MetricInput(long, references=("dogs", long + "dogs")), MetricInput("dogs", references=("dogs",))]
    found = metric.scores(inputs, {"model": str(roberta)})
    assert [one.truncated for one in found] == [12 + 13, 0]
    assert [one.truncated for one in metric.scores(inputs, {"model": str(roberta), "max_length": 10})] == [22 + 23, 0]
    same = metric.scores([MetricInput("a b c " * 6, references=("dogs",))], {"model": str(roberta)})
    assert metric.scores([MetricInput(long, references=("dogs",))], {"model": str(roberta)})[0].value == same[0].value


def test_models_that_are_missing_or_of_another_kind_are_refused(roberta, tmp_path):
    inputs = [MetricInput("a", references=("b",))]
    with pytest.raises(MetricError, match=r"has no config\.json, so it is no model"):
        similarity(inputs, tmp_path)
    with pytest.raises(MetricError, match="example/none is not on this machine"):
        metrics()["embedding"].scores(inputs, {"model": "example/none"})
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(MetricError, match="cannot be loaded"):
        similarity(inputs, tmp_path)


def test_weights_that_are_missing_are_not_made_up(roberta, tmp_path):
    from safetensors.torch import load_file, save_file

    for path in roberta.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    weights = load_file(tmp_path / "model.safetensors")
    weights.pop("encoder.layer.1.output.dense.weight")
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(MetricError, match=r"has no weights for encoder\.layer\.1\.output\.dense\.weight"):
        similarity([MetricInput("a", references=("b",))], tmp_path)


def test_a_missing_graphics_card_is_said(roberta):
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a graphics card")
    with pytest.raises(MetricError, match="no graphics card"):
        similarity([MetricInput("a", references=("b",))], roberta, device="cuda")


def test_the_configuration_has_a_digest_of_the_weights(roberta, tmp_path):
    metric = metrics()["embedding"]
    found = metric.configuration({"model": str(roberta), "batch_size": 3, "device": "cpu"})
    assert found["options"] == {"model": str(roberta), "max_length": 512}
    assert found["packages"]["torch"]
    for path in roberta.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert metric.configuration({"model": str(tmp_path)})["digest"] == found["digest"]
    weights = bytearray((tmp_path / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (tmp_path / "model.safetensors").write_bytes(weights)
    assert metric.configuration({"model": str(tmp_path)})["digest"] != found["digest"]
    assert model_folder(roberta) == roberta
