"""Agreement on marked spans, by character and by pairs of raters, and figures of the spans that were confirmed."""

import numpy as np

from agreement.arrays.rankings import pairs_within
from agreement.arrays.rating_arrays import NO_SYSTEM, Floats, Ints
from agreement.arrays.tally import Tally, counts_by_item, sum_by, tally
from agreement.comparisons.share_comparisons import SharedOutputs
from agreement.intervals.bootstrap import ItemSums, Ratios, RekeyedSums, Shares
from agreement.reliability.alpha import AlphaSums, observed_nominal
from agreement.reliability.leave_one_out import unit_scores
from agreement.spans.span_marks import CONFIRMED, REJECTED, UNDECIDED, SpanAnswers, TextPieces, tokens_marked

BOTH_WAYS = ("system_error_free_least", "system_error_free_most")
NO_ANSWER = "nobody has checked an output of the system"
NOT_TWICE = "no text was marked by two raters"
NOT_THRICE = "no text was marked by three raters"
NOTHING_MARKED = "no rater of a text with two raters marked anything"
NO_VERDICT = "no span was confirmed or rejected"
NO_OUTPUT = "no output of the system has an answer and a verdict on each of its spans"


def by_character(spans: SpanAnswers, pieces: TextPieces, items: int) -> list[ItemSums]:
    """percent_agreement, leave_one_out and span_alpha: units are characters, values the labels on them, or none.

    `spans` must be without repeats. All characters of a piece have the same values, so a piece counts once per
    character. If one rater put several labels on a character, its value is their set.
    """
    counted = _tally(spans, pieces)
    item, size = spans.item[pieces.text], pieces.size.astype(np.float64)
    pairable = counted.m > 1
    agreeing = sum_by(counted.unit, counted.n * (counted.n - 1) / 2, counted.m.size) * size
    percent = Shares(
        keys=(("percent_agreement",),),
        numerator=sum_by(item, agreeing, items)[:, None],
        denominator=sum_by(item, counted.m * (counted.m - 1) / 2 * size, items)[:, None],
        reasons=(NOT_TWICE,),
    )
    units = counted.unit[counted.start]
    several = counted.m[units] >= 3
    rated = units[several]
    left_out = Shares(
        keys=(("leave_one_out",),),
        numerator=sum_by(item[rated], unit_scores(counted)[several] * size[rated], items)[:, None],
        denominator=sum_by(item[rated], size[rated], items)[:, None],
        reasons=(NOT_THRICE,),
    )
    cell = pairable[counted.unit]
    unit, n = counted.unit[cell], counted.n[cell] * size[counted.unit[cell]]
    none = np.zeros(items)
    alpha = AlphaSums(
        levels=("nominal",),
        counts=counts_by_item(item[unit], counted.code[cell], n, (items, counted.values.size)),
        observed={"nominal": sum_by(item, observed_nominal(counted) * size, items)},
        first=none,
        second=none,
    )
    return [percent, left_out, RekeyedSums(alpha, (("span_alpha",),))]


def _tally(spans: SpanAnswers, pieces: TextPieces) -> Tally:
    """The values of each piece: 0 for none, otherwise a code for the set of labels."""
    per_text = np.bincount(pieces.text, minlength=spans.item.size)
    begin = np.cumsum(per_text) - per_text
    own = per_text[spans.text]
    answer = np.repeat(np.arange(spans.text.size), own)
    row = np.cumsum(own) - own
    piece = np.arange(answer.size) - np.repeat(row, own) + np.repeat(begin[spans.text], own)
    cell = row[pieces.marked_by] + pieces.piece - begin[spans.text[pieces.marked_by]]
    labels = np.zeros(answer.size, dtype=np.int64)
    np.bitwise_or.at(labels, cell, np.left_shift(1, pieces.label))
    _, value = np.unique(labels, return_inverse=True)
    return tally(piece, value.astype(np.float64), pieces.text.size)


def span_f1(spans: SpanAnswers, pieces: TextPieces, items: int) -> list[Ratios]:
    """F1 of two raters' spans in a text, averaged over all pairs of raters of all texts.

    By character (span_f1; span_f1_marked if at least one of them marked anything), by character and label
    (span_f1_labels), and by word (span_f1_tokens). F1 = 2 |A & B| / (|A| + |B|), and 1 if neither marked anything.
    """
    size = pieces.size.astype(np.float64)
    labels = max(len(spans.labels), 1)
    positions = _f1(spans, pieces.marked_by, pieces.piece, size)
    labelled = _f1(spans, pieces.marked_by, pieces.piece * labels + pieces.label, np.repeat(size, labels))
    figures = [
        _mean_f1("span_f1", positions, items, NOT_TWICE),
        _mean_f1("span_f1_marked", positions, items, NOTHING_MARKED, marked_only=True),
        _mean_f1("span_f1_labels", labelled, items, NOT_TWICE),
    ]
    if spans.token_text.size:
        answer, token = tokens_marked(spans)
        words = _f1(spans, answer, token, np.ones(spans.token_text.size))
        figures.append(_mean_f1("span_f1_tokens", words, items, NOT_TWICE))
    return figures


def _f1(spans: SpanAnswers, answer: Ints, atom: Ints, weight: Floats) -> tuple[Ints, Floats, Floats]:
    """The item, the F1 and whether either marked an atom, for each pair of answers about one text, all (pairs,).

    `answer` and `atom` (C,) are the answers and the atoms that they marked, with repetitions; `weight` is the weight
    of each atom.
    """
    answers, atoms = spans.text.size, weight.size
    atom, answer = np.divmod(np.unique(atom * max(answers, 1) + answer), max(answers, 1))
    marked = sum_by(answer, weight[atom], answers)
    i, j = pairs_within(np.bincount(atom, minlength=atoms))
    shared_key, code = np.unique(answer[i] * answers + answer[j], return_inverse=True)
    shared_weight = sum_by(code, weight[atom[i]], shared_key.size)
    by_text = np.argsort(spans.text, kind="stable")
    a, b = (by_text[place] for place in pairs_within(np.bincount(spans.text, minlength=spans.item.size)))
    key = a * answers + b
    place = np.searchsorted(shared_key, key)
    found = place < shared_key.size
    found[found] = shared_key[place[found]] == key[found]
    shared = np.zeros(key.size)
    shared[found] = shared_weight[place[found]]
    total = marked[a] + marked[b]
    f1 = np.divide(2 * shared, total, out=np.ones(key.size), where=total > 0)
    return spans.item[spans.text[a]], f1, (total > 0).astype(np.float64)


def _mean_f1(
    name: str, pairs: tuple[Ints, Floats, Floats], items: int, reason: str, *, marked_only: bool = False
) -> Ratios:
    item, f1, marked = pairs
    counts = marked if marked_only else np.ones(f1.size)
    return Ratios(
        keys=((name,),),
        numerator=sum_by(item, f1 * counts, items)[:, None],
        denominator=sum_by(item, counts, items)[:, None],
        reasons=(reason,),
    )


def span_accuracy(spans: SpanAnswers, items: int) -> Shares:
    """The share of confirmed spans among those confirmed or rejected."""
    item = spans.item[spans.text[spans.answer]]
    return Shares(
        keys=(("span_accuracy",),),
        numerator=sum_by(item, spans.verdict == CONFIRMED, items)[:, None],
        denominator=sum_by(item, spans.verdict != UNDECIDED, items)[:, None],
        reasons=(NO_VERDICT,),
    )


def outputs_without_confirmed_span(spans: SpanAnswers, items: int) -> SharedOutputs:
    """The outputs with an answer: those free of confirmed spans, and those of which that is undecided.

    An output with a confirmed span has an error, whatever its other spans. Without a confirmed span it is undecided if
    any of its spans is.
    """
    marked = spans.text[spans.answer]
    texts = spans.item.size
    confirmed = np.bincount(marked[spans.verdict == CONFIRMED], minlength=texts) > 0
    open_ = np.bincount(marked[spans.verdict == UNDECIDED], minlength=texts) > 0
    answered = (np.bincount(spans.text, minlength=texts) > 0) & (spans.system != NO_SYSTEM)
    decided = confirmed | ~open_
    shape = (items, len(spans.systems))

    def flags(chosen: np.ndarray) -> Floats:
        cell = spans.item[chosen] * shape[1] + spans.system[chosen]
        return sum_by(cell, np.ones(cell.size), items * shape[1]).reshape(shape)

    return SharedOutputs(
        counts=flags(answered & decided),
        free=flags(answered & decided & ~confirmed),
        undecided=flags(answered & ~decided),
        systems=spans.systems,
    )


def share_without_confirmed_span(outputs: SharedOutputs) -> Shares:
    """The share of each system's outputs in which no span was confirmed."""
    return Shares(
        keys=tuple(("system_without_confirmed_span", system) for system in outputs.systems),
        numerator=outputs.free,
        denominator=outputs.counts,
        reasons=(NO_OUTPUT,) * len(outputs.systems),
    )


def error_free_shares(outputs: SharedOutputs) -> list[Shares]:
    """The shares of all outputs with an answer that are free of errors, if all undecided ones have one, or none."""
    answered = outputs.counts + outputs.undecided
    return [
        Shares(
            keys=tuple((name, system) for system in outputs.systems),
            numerator=free,
            denominator=answered,
            reasons=(NO_ANSWER,) * len(outputs.systems),
        )
        for name, free in zip(BOTH_WAYS, (outputs.free, outputs.free + outputs.undecided), strict=True)
    ]


def undecided_outputs(outputs: SharedOutputs) -> dict[str, int]:
    """The number of undecided outputs of each system."""
    return {name: int(n) for name, n in zip(outputs.systems, outputs.undecided.sum(axis=0), strict=True)}


def verdicts(spans: SpanAnswers) -> dict[str, int]:
    """The number of spans, in all and by verdict."""
    names = {"spans_confirmed": CONFIRMED, "spans_rejected": REJECTED, "spans_undecided": UNDECIDED}
    counts = {name: int(np.count_nonzero(spans.verdict == verdict)) for name, verdict in names.items()}
    return {"spans": spans.verdict.size, **counts}
