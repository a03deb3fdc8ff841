"""The length of an output in sentences (riSum 3.2)."""

from collections.abc import Mapping, Sequence
from typing import Any

from judges.metrics import Metric, MetricInput, Scored, package_versions
from judges.metrics.sentence_splitting import SPLITTER, split_sentences


class LengthInSentences(Metric):
    """Sentences of the output; an empty output has none."""

    key = "sentences"
    name = "Length in sentences"

    def compute(self, inputs: Sequence[MetricInput], options: Mapping[str, Any]) -> list[Scored]:
        return [Scored(float(len(split_sentences(one.output)))) for one in inputs]

    def versions(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"packages": package_versions(SPLITTER)}


METRIC = LengthInSentences()
