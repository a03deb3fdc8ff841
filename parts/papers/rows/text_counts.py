"""Words and sentences of a study's texts, counted while the texts are read one after the other."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.text_lengths import count_words
from annotation.blinding import names_of
from annotation.models import Output, Study
from annotation.pools import OF_COUNTED, main_items
from judges.metrics.sentence_splitting import split_sentences
from reports.figures.rows import CHUNK

Group = tuple[str, str]
"""A kind of texts, and a name within it."""
ITEMS, OUTPUTS = "items", "outputs"
DOCUMENTS, INSTRUCTIONS = (ITEMS, "Documents"), (ITEMS, "Instructions")


@dataclass(frozen=True)
class TextCounts:
    """The counts of texts, (N,) each, with the place of each one's group in `groups`."""

    group: Ints
    words: Floats
    sentences: Floats
    groups: tuple[Group, ...]


def document_counts(study: Study) -> TextCounts:
    """The words of the study's documents by source; a document that several items share counts once."""
    found = main_items(study).order_by("pk").values_list("source", "document")
    distinct = _distinct(((ITEMS, source), text) for source, text in found.iterator(chunk_size=CHUNK) if text)
    return _counted(distinct, language=None)


def text_counts(study: Study) -> TextCounts:
    """Words and sentences of documents, each distinct one once, of all instructions, and of outputs by system."""

    def texts() -> Iterator[tuple[Group, str]]:
        items = main_items(study).order_by("pk")
        documents = items.values_list("document", flat=True).iterator(chunk_size=CHUNK)
        yield from _distinct((DOCUMENTS, text) for text in documents if text)
        instructions = items.values_list("instruction", flat=True).iterator(chunk_size=CHUNK)
        yield from ((INSTRUCTIONS, text) for text in instructions if text)
        outputs = Output.objects.filter(item__study=study, **OF_COUNTED).order_by()
        shown = names_of(study).shown
        yield from (((OUTPUTS, shown(key)), text) for key, text in outputs.values_list("key", "text").iterator(CHUNK))

    return _counted(texts(), language=study.language)


def _distinct(texts: Iterable[tuple[Group, str]]) -> Iterator[tuple[Group, str]]:
    seen: set[bytes] = set()
    for group, text in texts:
        digest = blake2b("\0".join((*group, text)).encode(errors="surrogatepass"), digest_size=16).digest()
        if digest not in seen:
            seen.add(digest)
            yield group, text


def _counted(texts: Iterable[tuple[Group, str]], language: str | None) -> TextCounts:
    """The counts of (group, text); without a language no sentences. Groups are in the order in which they appear."""
    codes: dict[Group, int] = {}
    rows = np.array(
        [(codes.setdefault(group, len(codes)), count_words(text), _sentences(text, language)) for group, text in texts],
        dtype=np.float64,
    ).reshape(-1, 3)
    return TextCounts(rows[:, 0].astype(np.int64), rows[:, 1], rows[:, 2], tuple(codes))


def _sentences(text: str, language: str | None) -> float:
    return np.nan if language is None else len(split_sentences(text, language))
