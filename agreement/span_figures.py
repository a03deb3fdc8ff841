"""Agreement on marked spans, by character and by pairs of raters, and what a researcher's confirmation leaves."""

import numpy as np

from agreement.alpha import AlphaSums, observed_nominal
from agreement.bootstrap import ItemSums, Ratios, Renamed
from agreement.data import NO_SYSTEM, Floats, Ints
from agreement.leave_one_out import unit_scores
from agreement.rankings import pairs_within
from agreement.spans import CONFIRMED, REJECTED, UNDECIDED, Pieces, Spans, tokens_marked
from agreement.tally import Tally, counts_by_item, sum_by, tally

NOT_TWICE = "no text was marked by two raters"
NOT_THRICE = "no text was marked by three raters"
NOTHING_MARKED = "no rater of a text with two raters marked anything"
NO_VERDICT = "no span was confirmed or rejected"
NO_OUTPUT = "no output of the system has all it needs: an answer, and a verdict on each of its spans"


def by_character(spans: Spans, pieces: Pieces, items: int) -> list[ItemSums]:
    """percent_agreement, leave_one_out and span_alpha: units are characters, values the labels on them, or none.

    `spans` are without repeats. All characters of a piece are alike, so that a piece counts as often as it has
    characters. A character with several labels of one rater has their set as its value.
    """
    counted = _tally(spans, pieces)
    item, size = spans.item[pieces.text], pieces.size.astype(np.float64)
    pairable = counted.m > 1
    agreeing = sum_by(counted.unit, counted.n * (counted.n - 1) / 2, counted.m.size) * size
    percent = Ratios(
        keys=(("percent_agreement",),),
        numerator=sum_by(item, agreeing, items)[:, None],
        denominator=sum_by(item, counted.m * (counted.m - 1) / 2 * size, items)[:, None],
        reasons=(NOT_TWICE,),
    )
    units = counted.unit[counted.start]
    several = counted.m[units] >= 3
    where = units[several]
    left_out = Ratios(
        keys=(("leave_one_out",),),
        numerator=sum_by(item[where], unit_scores(counted)[several] * size[where], items)[:, None],
        denominator=sum_by(item[where], size[where], items)[:, None],
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
        units=None,
        unit_item=item[:0],
        m=counted.m[:0],
    )
    return [percent, left_out, Renamed(alpha, (("span_alpha",),))]


def _tally(spans: Spans, pieces: Pieces) -> Tally:
    """The values of each piece: 0 for none, otherwise a code of the set of labels."""
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


def span_f1(spans: Spans, pieces: Pieces, items: int) -> list[Ratios]:
    """F1 of what two raters of a text marked, averaged over all pairs of raters of all texts.

    By character (span_f1; span_f1_marked where one of them marked anything), by character and label
    (span_f1_labels), and by word (span_f1_tokens). F1 = 2 |A & B| / (|A| + |B|), and 1 where neither marked anything.
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


def _f1(spans: Spans, answer: Ints, atom: Ints, weight: Floats) -> tuple[Ints, Floats, Floats]:
    """Of each pair of answers about one text: its item, F1, and whether either marked an atom, all (pairs,).

    `answer` and `atom` (C,) say which answers marked which atoms, with repetitions; `weight` is that of each atom.
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


def span_accuracy(spans: Spans, items: int) -> Ratios:
    """The share of spans that were confirmed, of those confirmed or rejected."""
    item = spans.item[spans.text[spans.answer]]
    return Ratios(
        keys=(("span_accuracy",),),
        numerator=sum_by(item, spans.verdict == CONFIRMED, items)[:, None],
        denominator=sum_by(item, spans.verdict != UNDECIDED, items)[:, None],
        reasons=(NO_VERDICT,),
    )


def without_confirmed_span(spans: Spans, items: int) -> tuple[Ratios, int]:
    """The share of a system's outputs in which no span was confirmed, and how many outputs are left out.

    An output counts once it has an answer. One with a confirmed span has an error, whatever else is said of it; one
    without, but with a span that nobody decided on, is left out.
    """
    marked = spans.text[spans.answer]
    texts = spans.item.size
    confirmed = np.bincount(marked[spans.verdict == CONFIRMED], minlength=texts) > 0
    open_ = np.bincount(marked[spans.verdict == UNDECIDED], minlength=texts) > 0
    answered = (np.bincount(spans.text, minlength=texts) > 0) & (spans.system != NO_SYSTEM)
    decided = answered & (confirmed | ~open_)
    systems = len(spans.systems)
    cell = spans.item[decided] * systems + spans.system[decided]
    shape = (items, systems)
    share = Ratios(
        keys=tuple(("system_without_confirmed_span", system) for system in spans.systems),
        numerator=sum_by(cell, ~confirmed[decided], items * systems).reshape(shape),
        denominator=sum_by(cell, np.ones(cell.size), items * systems).reshape(shape),
        reasons=(NO_OUTPUT,) * systems,
    )
    return share, int(np.count_nonzero(answered & ~decided))


def verdicts(spans: Spans) -> dict[str, int]:
    """How many spans there are, and what was said of them."""
    names = {"spans_confirmed": CONFIRMED, "spans_rejected": REJECTED, "spans_undecided": UNDECIDED}
    counts = {name: int(np.count_nonzero(spans.verdict == verdict)) for name, verdict in names.items()}
    return {"spans": spans.verdict.size, **counts}
