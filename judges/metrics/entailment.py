"""The probability that the document entails the output, by a model of natural language inference (riSum 3.2).

A model that classifies pairs reads the document as premise and the output as hypothesis. A T5 model that was trained
to write 1 or 0 (Honovich et al. 2022) reads both in its own form of words.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from judges.metrics import Metric, MetricError, MetricInput, MetricOption, Scored
from judges.metrics.model_loading import (
    LoadedModel,
    batch_option,
    by_length,
    device_option,
    library,
    load_model,
    model_identity,
    read_automatically,
)
from judges.metrics.sequence_likelihood import token_likelihoods
from judges.metrics.text_fitting import fitted

ENTAILED = frozenset({"entailment", "entailed", "entail", "entails"})
PREMISE, HYPOTHESIS, TRUE = "premise: ", " hypothesis: ", "1"
WRITER = "ForConditionalGeneration"


def writes_its_answer(config: Any) -> bool:
    """Return whether a model writes 1 or 0, as T5 checkpoints do, instead of classifying a pair."""
    return bool(config.architectures) and config.architectures[0].endswith(WRITER)


def read_entailment_model(folder: str) -> tuple[Any, Any]:
    """Return a classifier of pairs or a T5 model, as its configuration says, and its tokenizer."""
    config = library("transformers").AutoConfig.from_pretrained(folder, local_files_only=True)
    if writes_its_answer(config):
        return read_automatically("AutoModelForSeq2SeqLM", folder)
    entailed_label(config.id2label, Path(folder).name)
    return read_automatically("AutoModelForSequenceClassification", folder)


def entailed_label(labels: Mapping[int, str], model: str) -> int:
    """Return the number of the label that says entailment. Raises MetricError if not exactly one does."""
    found = [int(number) for number, label in labels.items() if str(label).strip().lower() in ENTAILED]
    if len(found) != 1:
        named = ", ".join(map(str, labels.values()))
        raise MetricError(
            f"The model {model} cannot be used for entailment: its labels are {named}, and one must be called "
            "entailment. Correct id2label in its config.json if one of them means that."
        )
    return found[0]


def pair_ids(tokenizer: Any, premise: str, hypothesis: str, limit: int) -> tuple[dict[str, list[int]], int]:
    """Return what a classifier reads of a pair, at most `limit` tokens, and how many were cut.

    Tokens are cut one by one at the end of the longer text, so a short output stays whole.
    """
    whole = tokenizer(premise, hypothesis, verbose=False)
    if len(whole["input_ids"]) <= limit:
        return dict(whole), 0
    kept = tokenizer(premise, hypothesis, truncation="longest_first", max_length=limit, verbose=False)
    return dict(kept), len(whole["input_ids"]) - len(kept["input_ids"])


def classified(loaded: LoadedModel, inputs: Sequence[MetricInput], limit: int, size: int) -> list[Scored]:
    """Return p(entailment) of each pair among the model's labels."""
    torch = library("torch")
    label = entailed_label(loaded.model.config.id2label, "")
    pairs = [pair_ids(loaded.tokenizer, one.document, one.output, limit) for one in inputs]
    found = [Scored(0.0)] * len(inputs)
    for batch in by_length([len(pair["input_ids"]) for pair, _ in pairs], size):
        read = loaded.tokenizer.pad([pairs[place][0] for place in batch], return_tensors="pt").to(loaded.device)
        with torch.inference_mode():
            share = loaded.model(**read).logits.double().softmax(dim=-1)[:, label].cpu()
        for row, place in enumerate(batch):
            found[place] = Scored(float(share[row]), pairs[place][1])
    return found


def written(loaded: LoadedModel, inputs: Sequence[MetricInput], limit: int, size: int) -> list[Scored]:
    """Return p("1") of each pair among all tokens that the model could write; a document that is too long is cut."""
    answer = loaded.tokenizer(TRUE, add_special_tokens=False)["input_ids"]
    prompts = [fitted(loaded.tokenizer, (PREMISE, one.document, HYPOTHESIS, one.output), (1,), limit) for one in inputs]
    found = [Scored(0.0)] * len(inputs)
    for batch in by_length([len(ids) for ids, _ in prompts], size):
        likelihood = token_likelihoods(loaded, [prompts[place][0] for place in batch], [answer] * len(batch))
        for row, place in enumerate(batch):
            found[place] = Scored(float(likelihood[row].sum().exp()), prompts[place][1])
    return found


class Entailment(Metric):
    """p(entailment), from 0 to 1, with the document as premise and the output as hypothesis."""

    key = "entailment"
    name = "Entailment"
    needs = "document"
    extra = True
    options = {
        "model": MetricOption(
            "model",
            "FacebookAI/roberta-large-mnli",
            "A classifier with a label called entailment, or a T5 model such as google/t5_xxl_true_nli_mixture.",
        ),
        "max_length": MetricOption(
            "whole", 1024, "Tokens read of document and output together, or fewer if the model has fewer.", least=16
        ),
        "batch_size": batch_option(16),
        "device": device_option(),
    }

    def compute(self, inputs: Sequence[MetricInput], options: Mapping[str, Any]) -> list[Scored]:
        loaded = load_model(read_entailment_model, options["model"], options["device"])
        value = written if writes_its_answer(loaded.model.config) else classified
        with loaded.busy:
            return value(loaded, inputs, loaded.limit(options["max_length"]), options["batch_size"])

    def versions(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return model_identity(options["model"])


METRIC = Entailment()
