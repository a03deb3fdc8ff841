"""Shortens one part of a text so that a model can read the whole of it."""

from collections.abc import Sequence
from typing import Any


def fitted(tokenizer: Any, pieces: Sequence[str], shorten: Sequence[int], limit: int) -> tuple[list[int], int]:
    """Return the token ids of the joined pieces, at most `limit`, and how many tokens were cut.

    A text that is too long loses the ends of the pieces at the places `shorten`, in that order, each as far as
    necessary. If it is still too long, the end of the whole text is cut. The tokenizer must be a fast one of
    transformers, which knows where tokens begin and end; special tokens count.
    """
    kept = list(pieces)
    ids = tokenizer("".join(kept), verbose=False)["input_ids"]
    before = len(ids)
    for place in shorten:
        while len(ids) > limit and kept[place]:
            ends = tokenizer(kept[place], add_special_tokens=False, return_offsets_mapping=True, verbose=False)
            offsets = ends["offset_mapping"]
            remaining = len(offsets) - (len(ids) - limit)
            shorter = kept[place][: offsets[remaining - 1][1]] if remaining > 0 else ""
            kept[place] = shorter if len(shorter) < len(kept[place]) else kept[place][:-1]
            ids = tokenizer("".join(kept), verbose=False)["input_ids"]
    if len(ids) > limit:
        ids = tokenizer("".join(kept), truncation=True, max_length=limit, verbose=False)["input_ids"]
    return ids, before - len(ids)
