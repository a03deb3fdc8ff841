"""Weighted scores of texts from spans with severities (Multidimensional Quality Metrics, MQM).

Freitag, Foster, Grangier, Ratnakar, Tan and Macherey 2021, Experts, Errors, and Context (TACL): the score of a segment
is the sum of the weights of its errors, that of a system the mean over segments and raters.
"""

import numpy as np

from agreement.arrays.rating_arrays import NO_SYSTEM, Floats
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import ItemSums, Ratios, RekeyedSums
from agreement.reliability.alpha import alpha_sums
from agreement.spans.span_marks import REJECTED, SpanAnswers

SEVERITIES = ("system_severity", "system_severity_per_100_words")
NO_ANSWER = "no output of the system has an answer"
NO_WORDS = "no output of the system with an answer has a word"
WORDS = 100


def severity_figures(spans: SpanAnswers, latest: SpanAnswers, items: int) -> list[ItemSums]:
    """system_severity, system_severity_per_100_words and severity_alpha; `latest` is `spans` without repeats.

    Spans that a researcher rejected do not count for systems. Alpha is of the scores as the raters gave them.
    """
    counted = spans.verdict != REJECTED
    scores = sum_by(spans.answer[counted], spans.weight[counted], spans.text.size)
    words = np.bincount(spans.token_text, minlength=spans.item.size).astype(np.float64)
    of_outputs = spans.system[spans.text] != NO_SYSTEM
    text = spans.text[of_outputs]
    cell, shape = spans.item[text] * len(spans.systems) + spans.system[text], (items, len(spans.systems))

    def summed(figure: Floats) -> Floats:
        return sum_by(cell, figure, shape[0] * shape[1]).reshape(shape)

    total = summed(scores[of_outputs])
    figures: list[ItemSums] = [
        Ratios(_keys(spans, SEVERITIES[0]), total, summed(np.ones(text.size)), (NO_ANSWER,) * shape[1]),
        Ratios(_keys(spans, SEVERITIES[1]), WORDS * total, summed(words[text]), (NO_WORDS,) * shape[1]),
    ]
    as_given = sum_by(latest.answer, latest.weight, latest.text.size)
    alphas = alpha_sums(latest.text, as_given, latest.item, items, ("interval",))
    return [*figures, RekeyedSums(alphas, (("severity_alpha",),))]


def _keys(spans: SpanAnswers, name: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, system) for system in spans.systems)
