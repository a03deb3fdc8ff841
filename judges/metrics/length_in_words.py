"""The length of an output in words (riSum 3.2: long outputs are often preferred)."""

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from agreement.text_lengths import count_words
from judges.metrics import Metric, MetricInput, MetricOption, Scored, package_versions
from judges.metrics.sentence_splitting import SPLITTER, split_sentences


def treebank_tokens(text: str) -> int:
    """Return the number of Treebank tokens, punctuation included: NLTK's word_tokenize with our sentences."""
    tokenizer = importlib.import_module("nltk.tokenize.destructive").NLTKWordTokenizer()
    return sum(len(tokenizer.tokenize(sentence)) for sentence in split_sentences(text))


class LengthInWords(Metric):
    """Words of the output: between white space or single characters, as in all other figures, or Treebank tokens."""

    key = "words"
    name = "Length in words"
    options = {
        "counting": MetricOption(
            "choice",
            "spaces",
            "What is a word: the text between two spaces (in scripts without spaces, a character), or a token of NLTK, "
            "punctuation included.",
            choices=("spaces", "treebank"),
        )
    }

    def compute(self, inputs: Sequence[MetricInput], options: Mapping[str, Any]) -> list[Scored]:
        if options["counting"] == "treebank":
            return [Scored(float(treebank_tokens(one.output))) for one in inputs]
        return [Scored(float(count_words(one.output))) for one in inputs]

    def versions(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"packages": package_versions("nltk", SPLITTER)} if options["counting"] == "treebank" else {}


METRIC = LengthInWords()
