"""Every figure of a spans question, with intervals, as plain values for JSON."""

from dataclasses import replace

import numpy as np

from agreement.comparisons.share_comparisons import share_comparisons, share_differences
from agreement.intervals.bootstrap import ItemSums, estimate
from agreement.intervals.report_entries import Report, complete, place, resampling
from agreement.spans.severity_figures import SEVERITIES, severity_figures
from agreement.spans.span_figures import (
    BOTH_WAYS,
    by_character,
    error_free_shares,
    outputs_without_confirmed_span,
    share_without_confirmed_span,
    span_accuracy,
    span_f1,
    undecided_outputs,
    verdicts,
)
from agreement.spans.span_marks import SpanAnswers, cut

NO_TOKENS = "the words of the texts are not known"


def describe_spans(spans: SpanAnswers, *, weighted: bool = False, replicates: int = 1000, seed: int = 0) -> Report:
    """All figures of one spans question, as `catalogue.FIGURES` describes them.

    `weighted` is whether its spans have severities. The result has only plain floats, ints, strings, lists, dicts and
    None. An undefined figure is None, with the reason under `undefined` by its dotted name. `x_ci` is the 95 % interval
    [low, high] of `x`.
    """
    _, item = np.unique(spans.item[spans.text], return_inverse=True)
    renumbered = np.zeros_like(spans.item)
    renumbered[spans.text] = item
    spans = replace(spans, item=renumbered)
    items = int(item.max(initial=-1)) + 1
    latest = spans.latest()
    pieces = cut(latest)
    raters_of = np.bincount(latest.text, minlength=spans.item.size)
    outputs = outputs_without_confirmed_span(spans, items)
    differences = share_differences(outputs)
    figures: list[ItemSums] = [
        *by_character(latest, pieces, items),
        *span_f1(latest, pieces, items),
        span_accuracy(spans, items),
        share_without_confirmed_span(outputs),
        *error_free_shares(outputs),
        *([] if differences is None else [differences]),
        *(severity_figures(spans, latest, items) if weighted else []),
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
        "outputs_undecided": int(outputs.undecided.sum()),
        "system_undecided": undecided_outputs(outputs),
    }
    undefined: dict[str, str] = {}
    if not spans.token_text.size:
        report["span_f1_tokens"], undefined["span_f1_tokens"] = None, NO_TOKENS
    compared = {} if differences is None else dict.fromkeys(differences.keys)
    place(report, undefined, {key: figure for key, figure in estimates.items() if key not in compared})
    complete(report, ("system_without_confirmed_span", *BOTH_WAYS, *(SEVERITIES if weighted else ())))
    report["comparisons"], reasons = share_comparisons(outputs, estimates)
    report["bootstrap"] = resampling(estimates, items, replicates, seed)
    report["undefined"] = undefined | reasons
    return report
