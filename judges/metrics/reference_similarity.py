"""Cosine between the embeddings of the output and of a reference (HREF 3.2 and B.3).

HREF prints the preference the wrong way round; here, as in its results, the more similar output is the better one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from judges.metrics import Metric, MetricInput, MetricOption, Scored
from judges.metrics.model_loading import (
    LoadedModel,
    batch_option,
    by_length,
    device_option,
    library,
    load_model,
    model_identity,
    padded,
    padding_of,
    read_automatically,
    token_ids,
)


def read_encoder(folder: str) -> tuple[Any, Any]:
    """Return a plain encoder without a head, and its tokenizer."""
    return read_automatically("AutoModel", folder)


def embedded(loaded: LoadedModel, texts: Sequence[str], limit: int, size: int) -> dict[str, tuple[Any, int]]:
    """Return the embedding of each distinct text, and how many of its tokens were not read.

    An embedding is the mean of the last layer over the text's tokens, special ones included, in double precision.
    """
    torch = library("torch")
    distinct = list(dict.fromkeys(texts))
    tokens = [token_ids(loaded.tokenizer, text, limit) for text in distinct]
    found = {}
    for batch in by_length([len(ids) for ids, _ in tokens], size):
        ids, mask = padded(torch, [tokens[place][0] for place in batch], padding_of(loaded.tokenizer), loaded.device)
        with torch.inference_mode():
            last = loaded.model(input_ids=ids, attention_mask=mask).last_hidden_state
        shown = mask[:, :, None].double()
        means = ((last.double() * shown).sum(dim=1) / shown.sum(dim=1)).cpu()
        found.update({distinct[place]: (means[row], tokens[place][1]) for row, place in enumerate(batch)})
    return found


class ReferenceSimilarity(Metric):
    """Cosine, from -1 to 1, between output and reference; the highest over the references."""

    key = "embedding"
    name = "Embedding similarity"
    needs = "references"
    extra = True
    options = {
        "model": MetricOption("model", "FacebookAI/roberta-large", "An encoder, such as BERT or RoBERTa."),
        "max_length": MetricOption("whole", 512, "Tokens read of each text, or fewer if the model has fewer.", least=8),
        "batch_size": batch_option(32),
        "device": device_option(),
    }

    def compute(self, inputs: Sequence[MetricInput], options: Mapping[str, Any]) -> list[Scored]:
        loaded = load_model(read_encoder, options["model"], options["device"])
        texts = [text for one in inputs for text in (one.output, *one.references)]
        with loaded.busy:
            vectors = embedded(loaded, texts, loaded.limit(options["max_length"]), options["batch_size"])
        cosine = library("torch").nn.functional.cosine_similarity
        found = []
        for one in inputs:
            output, cut = vectors[one.output]
            references = [vectors[text] for text in one.references]
            highest = max(float(cosine(output, vector, dim=0)) for vector, _ in references)
            found.append(Scored(highest, cut + sum(missing for _, missing in references)))
        return found

    def versions(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return model_identity(options["model"])


METRIC = ReferenceSimilarity()
