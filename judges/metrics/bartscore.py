"""BARTScore (Yuan et al. 2021; riSum 3.2): the mean log-likelihood of one text's tokens given another."""

from collections.abc import Mapping, Sequence
from typing import Any

from judges.metrics import Metric, MetricInput, MetricOption, Need, Scored
from judges.metrics.model_loading import (
    batch_option,
    by_length,
    device_option,
    load_model,
    model_identity,
    token_ids,
)
from judges.metrics.sequence_likelihood import read_sequence_model, token_likelihoods

DIRECTIONS = ("document-output", "output-document", "reference-output", "output-reference")


class BartScore(Metric):
    """Mean log-likelihood per token of the target given the source: at most 0, and higher is better.

    Special tokens of the target count, as in the authors' program.
    """

    key = "bartscore"
    name = "BARTScore"
    extra = True
    options = {
        "model": MetricOption(
            "model", "facebook/bart-large", "A sequence-to-sequence model; facebook/bart-large-cnn is BARTScore CNN."
        ),
        "direction": MetricOption(
            "choice", DIRECTIONS[0], "Source and target: what is given, and what is to be likely.", choices=DIRECTIONS
        ),
        "max_length": MetricOption(
            "whole", 1024, "Tokens read of each text, or fewer if the model has fewer.", least=8
        ),
        "batch_size": batch_option(8),
        "device": device_option(),
    }

    def needed(self, options: Mapping[str, Any]) -> Need | None:
        return "references" if "reference" in options["direction"] else "document"

    def compute(self, inputs: Sequence[MetricInput], options: Mapping[str, Any]) -> list[Scored]:
        loaded = load_model(read_sequence_model, options["model"], options["device"])
        limit = loaded.limit(options["max_length"])
        source_name, target_name = options["direction"].split("-")
        pairs = []
        for number, one in enumerate(inputs):
            texts = {"document": (one.document,), "output": (one.output,), "reference": one.references}
            pairs += [(number, source, target) for source in texts[source_name] for target in texts[target_name]]
        highest = [-float("inf")] * len(inputs)
        truncated = [0] * len(inputs)
        with loaded.busy:
            sources = [token_ids(loaded.tokenizer, source, limit) for _, source, _ in pairs]
            targets = [token_ids(loaded.tokenizer, target, limit) for _, _, target in pairs]
            for batch in by_length([len(ids) for ids, _ in sources], options["batch_size"]):
                found = token_likelihoods(
                    loaded, [sources[place][0] for place in batch], [targets[place][0] for place in batch]
                ).sum(dim=1)
                for row, place in enumerate(batch):
                    number = pairs[place][0]
                    highest[number] = max(highest[number], float(found[row]) / len(targets[place][0]))
                    truncated[number] += sources[place][1] + targets[place][1]
        return [Scored(value, cut) for value, cut in zip(highest, truncated, strict=True)]

    def versions(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return model_identity(options["model"])


METRIC = BartScore()
