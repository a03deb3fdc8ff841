"""How likely a sequence-to-sequence model finds each token of a text, given another text."""

from collections.abc import Sequence
from typing import Any

from judges.metrics.model_loading import LoadedModel, library, padded, padding_of, read_automatically

NOT_COUNTED = -100
"""The label that transformers gives to padding."""


def read_sequence_model(folder: str) -> tuple[Any, Any]:
    """Return a sequence-to-sequence model and its tokenizer."""
    return read_automatically("AutoModelForSeq2SeqLM", folder)


def token_likelihoods(loaded: LoadedModel, sources: Sequence[list[int]], targets: Sequence[list[int]]) -> Any:
    """Return the log-likelihood of each target token given its source and the tokens before it.

    `sources` and `targets` are rows of token ids. The result is a tensor of shape (targets, longest target) in double
    precision, 0 behind the end of a target.
    """
    torch = library("torch")
    padding = padding_of(loaded.tokenizer)
    source, source_mask = padded(torch, sources, padding, loaded.device)
    target, target_mask = padded(torch, targets, padding, loaded.device)
    labels = target.masked_fill(target_mask == 0, NOT_COUNTED)
    with torch.inference_mode():
        logits = loaded.model(input_ids=source, attention_mask=source_mask, labels=labels).logits
        likelihood = logits.double().log_softmax(dim=-1).gather(2, target[:, :, None])[:, :, 0]
    return (likelihood * target_mask).cpu()
