"""ROUGE-1, ROUGE-2, ROUGE-Lsum and their geometric mean (Lin 2004; riSum 3.1), as the package rouge-score gives them.

The package tokenizes, stems and forms the F measure. Counting and the longest common subsequences are done here with
the same results: the package fills a table cell by cell, which is too slow for tens of thousands of outputs.
"""

import importlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Any, NamedTuple

from judges.metrics import Metric, MetricInput, MetricOption, Scored, package_versions
from judges.metrics.sentence_splitting import SPLITTER, split_sentences

VARIANTS = ("rouge1", "rouge2", "rougeLsum")
GEOMETRIC_MEAN = "mean"
TEXTS_KEPT = 4096
"""Tokenized references per call: the outputs of an item share theirs."""
STEMS_KEPT = 1 << 16


class Overlap(NamedTuple):
    """How much two texts share, each from 0 to 1."""

    precision: float
    recall: float
    f1: float


Masks = dict[str, int]
"""For each distinct token of a line a number whose bit j is set if the token is at place j."""


@dataclass(frozen=True, slots=True)
class RougeText:
    """A text ready for comparison: its lines' tokens and their masks, and the counts of its words and word pairs."""

    lines: list[list[str]]
    masks: list[Masks]
    unigrams: Counter[str]
    bigrams: Counter[tuple[str, str]]


class StemCache:
    """The package's stemmer (NLTK's Porter stemmer), which stems each word once."""

    def __init__(self) -> None:
        self.stem = lru_cache(STEMS_KEPT)(importlib.import_module("nltk.stem.porter").PorterStemmer().stem)


class RougeTokenizer:
    """Prepares texts under one set of options."""

    def __init__(self, *, stemming: bool, split: bool) -> None:
        self._tokenize = importlib.import_module("rouge_score.tokenize").tokenize
        self._stemmer = StemCache() if stemming else None
        self._split = split

    def prepare(self, text: str) -> RougeText:
        """Return a text's tokens and counts; ROUGE-Lsum takes its lines, or its sentences, one by one."""
        if self._split:
            text = "\n".join(" ".join(sentence.split()) for sentence in split_sentences(text))
        lines = [self._tokenize(line, self._stemmer) for line in text.split("\n") if line]
        tokens = list(chain.from_iterable(lines))  # no token crosses the end of a line
        return RougeText(lines, [masks_of(line) for line in lines], Counter(tokens), Counter(pairwise(tokens)))


def masks_of(line: Sequence[str]) -> Masks:
    """Return where each token of a line is."""
    masks: Masks = {}
    for place, token in enumerate(line):
        masks[token] = masks.get(token, 0) | 1 << place
    return masks


@cache
def package_f1() -> Callable[[float, float], float]:
    """Return the package's F measure of a precision and a recall."""
    return importlib.import_module("rouge_score.scoring").fmeasure


def overlap(hits: int, of_output: int, of_reference: int) -> Overlap:
    """Return precision, recall and F1 of this many hits among these many of each text."""
    precision, recall = hits / max(of_output, 1), hits / max(of_reference, 1)
    return Overlap(precision, recall, package_f1()(precision, recall))


def ngram_overlap(reference: Counter[Any], output: Counter[Any]) -> Overlap:
    """Return what two texts share by the counts of their words, or of their pairs of words."""
    hits = sum(min(count, output[one]) for one, count in reference.items() if one in output)
    return overlap(hits, output.total(), reference.total())


def common_places(reference: Sequence[str], masks: Masks, length: int) -> set[int]:
    """Return the places in a reference's line of one longest common subsequence with a line of the output.

    The output's line has `length` tokens, which `masks` locates. Of several such subsequences it is the one that the
    package takes. A row of the usual table grows by 0 or 1 from cell to cell, so it is kept as the bits of a number
    (Hyyrö 2004): bit j of row i is set if the subsequence of the first i and j + 1 tokens is longer than that of i and
    j. Tokens of the reference that the output lacks change no row, and the package passes over them.
    """
    shared = [(place, mask) for place, token in enumerate(reference) if (mask := masks.get(token))]
    everything = (1 << length) - 1
    row, rows = 0, [0]
    for _, mask in shared:
        joined = row | mask
        row = joined & ~(joined - (row << 1 | 1)) & everything
        rows.append(row)
    places: set[int] = set()
    i, j, longest = len(shared), length, row.bit_count()
    while longest:  # the length for the first i and j tokens
        place, mask = shared[i - 1]
        if mask >> (j - 1) & 1:
            places.add(place)
            i, j, longest = i - 1, j - 1, longest - 1
        elif not rows[i] >> (j - 1) & 1 and (rows[i - 1] & ((1 << j) - 1)).bit_count() < longest:
            j -= 1
        else:
            i -= 1
    return places


def summary_overlap(reference: RougeText, output: RougeText) -> Overlap:
    """Return ROUGE-Lsum: each line of the reference against all lines of the output, no token counted twice."""
    left_reference, left_output = reference.unigrams.copy(), output.unigrams.copy()
    hits = 0
    for line in reference.lines:
        places: set[int] = set()
        for other, masks in zip(output.lines, output.masks, strict=True):
            places |= common_places(line, masks, len(other))
        for place in sorted(places):
            token = line[place]
            if left_reference[token] > 0 and left_output[token] > 0:
                hits += 1
                left_reference[token] -= 1
                left_output[token] -= 1
    return overlap(hits, sum(map(len, output.lines)), sum(map(len, reference.lines)))


def compared(reference: RougeText, output: RougeText, variants: Sequence[str], measure: str) -> float:
    """Return the measure of the named variants, the geometric mean of several."""
    product = 1.0
    for variant in variants:
        if variant == "rougeLsum":
            found = summary_overlap(reference, output)
        elif variant == "rouge2":
            found = ngram_overlap(reference.bigrams, output.bigrams)
        else:
            found = ngram_overlap(reference.unigrams, output.unigrams)
        product *= getattr(found, measure)
    return product if len(variants) == 1 else product ** (1 / len(variants))


class Rouge(Metric):
    """ROUGE of the output against each reference, the highest of them."""

    key = "rouge"
    name = "ROUGE"
    needs = "references"
    options = {
        "variant": MetricOption(
            "choice",
            GEOMETRIC_MEAN,
            "ROUGE-1, ROUGE-2, ROUGE-Lsum, or the geometric mean of the three.",
            choices=(GEOMETRIC_MEAN, *VARIANTS),
        ),
        "measure": MetricOption(
            "choice", "f1", "F1, or precision or recall alone.", choices=("f1", "precision", "recall")
        ),
        "stemming": MetricOption("flag", False, "Compare words without their endings (Porter stemmer, English)."),
        "sentences": MetricOption(
            "choice",
            "lines",
            "What ROUGE-Lsum compares one by one: lines of the text as they are, or sentences that a splitter finds.",
            choices=("lines", "splitter"),
        ),
    }

    def compute(self, inputs: Sequence[MetricInput], options: Mapping[str, Any]) -> list[Scored]:
        variants = VARIANTS if options["variant"] == GEOMETRIC_MEAN else (options["variant"],)
        tokenizer = RougeTokenizer(stemming=options["stemming"], split=options["sentences"] == "splitter")
        prepared = lru_cache(TEXTS_KEPT)(tokenizer.prepare)
        found = []
        for one in inputs:
            output = tokenizer.prepare(one.output)
            values = [
                compared(prepared(reference), output, variants, options["measure"]) for reference in one.references
            ]
            found.append(Scored(float(max(values))))
        return found

    def versions(self, options: Mapping[str, Any]) -> dict[str, Any]:
        names = ["rouge-score"]
        if options["stemming"]:
            names.append("nltk")
        if options["sentences"] == "splitter":
            names.append(SPLITTER)
        return {"packages": package_versions(*names)}


METRIC = Rouge()
