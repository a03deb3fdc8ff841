"""Every figure of a spans question, with intervals, ready to be written as JSON."""

from dataclasses import replace

import numpy as np

from agreement.bootstrap import ItemSums, estimate
from agreement.span_figures import by_character, span_accuracy, span_f1, verdicts, without_confirmed_span
from agreement.spans import Spans, cut
from agreement.writing import Report, complete, place, resampling

NO_TOKENS = "the words of the texts are not given"


def describe_spans(spans: Spans, *, replicates: int = 1000, seed: int = 0) -> Report:
    """All figures of one spans question; `catalogue.FIGURES` says what each is.

    The result holds plain floats, ints, texts, lists, dicts and None; an undefined figure is None with its
    reason under `undefined`, by its dotted name. `x_ci` is the 95 % interval [low, high] of `x`.
    """
    _, item = np.unique(spans.item[spans.text], return_inverse=True)
    renumbered = np.zeros_like(spans.item)
    renumbered[spans.text] = item
    spans = replace(spans, item=renumbered)
    items = int(item.max(initial=-1)) + 1
    latest = spans.latest()
    pieces = cut(latest)
    raters_of = np.bincount(latest.text, minlength=spans.item.size)
    clean, left_out = without_confirmed_span(spans, items)
    figures: list[ItemSums] = [
        *by_character(latest, pieces, items),
        *span_f1(latest, pieces, items),
        span_accuracy(spans, items),
        clean,
    ]
    estimates = estimate(figures, items, replicates, seed)
    report: Report = {
        "level": "span",
        "ratings": spans.text.size,
        "repeats": spans.text.size - latest.text.size,
        "raters": int(np.unique(spans.rater).size),
        "items": items,
        "texts": int(np.count_nonzero(raters_of)),
        "texts_with_two_or_more": int(np.count_nonzero(raters_of > 1)),
        **verdicts(spans),
        "outputs_undecided": left_out,
    }
    undefined: dict[str, str] = {}
    if not spans.token_text.size:
        report["span_f1_tokens"], undefined["span_f1_tokens"] = None, NO_TOKENS
    place(report, undefined, estimates)
    complete(report, ("system_without_confirmed_span",))
    report["bootstrap"] = resampling(estimates, items, replicates, seed)
    report["undefined"] = undefined
    return report
