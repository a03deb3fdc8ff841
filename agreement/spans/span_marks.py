"""Marked spans of texts as flat arrays, and the pieces into which they cut the texts."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from agreement.arrays.rating_arrays import NO_SYSTEM, Floats, Ints

UNDECIDED, REJECTED, CONFIRMED = -1, 0, 1
"""A researcher's verdict on a span."""
VERDICTS = {None: UNDECIDED, False: REJECTED, True: CONFIRMED}
LABELS = 60
"""The labels of a piece of text are the bits of an integer."""

Text = tuple[Hashable, str | None]
"""An item and the output of it, or None for its document."""


class Mark(NamedTuple):
    """A span [start, end) in code points, with its label, whether it was confirmed (None: undecided) and its weight."""

    start: int
    end: int
    label: str = ""
    confirmed: bool | None = None
    weight: float = 0.0


@dataclass(frozen=True)
class SpanAnswers:
    """All current answers to a spans question, in the order of their submission, one answer per rater and text.

    Shapes: `text` and `rater` are (A,), one entry per answer, whether or not it marks anything; `answer`, `start`,
    `end`, `label`, `verdict` and `weight` are (S,), one entry per span; `item`, `system` and `length` are (T,), one
    entry per text: an output, or a document with NO_SYSTEM. `token_text`, `token_start` and `token_end` are (K,),
    ordered by text and start, and empty if words are not used.

    Offsets are in code points, `end` is exclusive. Raises ValueError for other shapes, codes or offsets.
    """

    text: Ints
    rater: Ints
    answer: Ints
    start: Ints
    end: Ints
    label: Ints
    verdict: Ints
    weight: Floats
    item: Ints
    system: Ints
    length: Ints
    token_text: Ints
    token_start: Ints
    token_end: Ints
    raters: tuple[str, ...]
    systems: tuple[str, ...]
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        groups = (
            (self.text, self.rater),
            (self.answer, self.start, self.end, self.label, self.verdict, self.weight),
            (self.item, self.system, self.length),
            (self.token_text, self.token_start, self.token_end),
        )
        for group in groups:
            if any(array.shape != (group[0].size,) for array in group):
                raise ValueError("arrays of answers, spans, texts or tokens differ in length")
        for code, low, end in (
            (self.text, 0, self.item.size),
            (self.rater, 0, len(self.raters)),
            (self.answer, 0, self.text.size),
            (self.label, 0, len(self.labels)),
            (self.system, NO_SYSTEM, len(self.systems)),
            (self.verdict, UNDECIDED, CONFIRMED + 1),
        ):
            if code.size and (code.min() < low or code.max() >= end):
                raise ValueError("a code of a text, rater, answer, label, system or verdict is out of range")
        if len(self.labels) > LABELS:
            raise ValueError(f"there are more than {LABELS} labels")
        if ((self.start < 0) | (self.start >= self.end) | (self.end > self.length[self.text[self.answer]])).any():
            raise ValueError("a span is empty or extends beyond its text")

    def of_items(self, keep: np.ndarray) -> "SpanAnswers":
        """The answers about texts of the items with a true `keep`, (I,)."""
        return self.only(np.flatnonzero(keep[self.item[self.text]]))

    def latest(self) -> "SpanAnswers":
        """The last answer per rater and text."""
        key = self.text * max(len(self.raters), 1) + self.rater
        _, last = np.unique(key[::-1], return_index=True)
        return self.only(np.sort(key.size - 1 - last))

    def only(self, answers: Ints) -> "SpanAnswers":
        """The answers with these ascending numbers, and their spans."""
        number = np.full(self.text.size, -1)
        number[answers] = np.arange(answers.size)
        keep = number[self.answer] >= 0
        return replace(
            self,
            text=self.text[answers],
            rater=self.rater[answers],
            answer=number[self.answer[keep]],
            start=self.start[keep],
            end=self.end[keep],
            label=self.label[keep],
            verdict=self.verdict[keep],
            weight=self.weight[keep],
        )


@dataclass(frozen=True)
class TextPieces:
    """Every text with an answer, cut at all starts and ends of spans, so that each piece is inside or outside a span.

    `text` and `size` (in code points) are (G,), ordered by text and place. `marked_by`, `piece` and `label` are (C,):
    answer `marked_by[c]` has a span with this label over the piece; a cell may occur more than once.
    """

    text: Ints
    size: Ints
    marked_by: Ints
    piece: Ints
    label: Ints


def cut(spans: SpanAnswers) -> TextPieces:
    """The pieces of all texts with an answer."""
    reach = int(spans.length.max(initial=0)) + 1
    answered = np.unique(spans.text)
    text = spans.text[spans.answer]
    ends = [
        answered * reach,
        answered * reach + spans.length[answered],
        text * reach + spans.start,
        text * reach + spans.end,
    ]
    place = np.unique(np.concatenate(ends))
    owner = place // reach
    inside = owner[:-1] == owner[1:]
    start, size = place[:-1][inside], np.diff(place)[inside]
    first, last = (np.searchsorted(start, text * reach + edge) for edge in (spans.start, spans.end))
    covered = last - first
    piece = np.repeat(first, covered) + _run(covered)
    cells = np.repeat(np.arange(covered.size), covered)
    return TextPieces(owner[:-1][inside], size, spans.answer[cells], piece, spans.label[cells])


def tokens_marked(spans: SpanAnswers) -> tuple[Ints, Ints]:
    """Pairs of an answer and a token, (C,) each, such that one of the answer's spans overlaps the token."""
    reach = int(spans.length.max(initial=0)) + 1
    text = spans.text[spans.answer] * reach
    first = np.searchsorted(spans.token_text * reach + spans.token_end, text + spans.start, side="right")
    last = np.searchsorted(spans.token_text * reach + spans.token_start, text + spans.end, side="left")
    covered = np.maximum(last - first, 0)
    return np.repeat(spans.answer, covered), np.repeat(first, covered) + _run(covered)


def _run(size: Ints) -> Ints:
    """0, 1, ... `size` - 1 for each size in turn."""
    return np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)


def collect_spans(
    items: Sequence[Hashable],
    outputs: Sequence[str | None],
    raters: Sequence[str],
    marks: Sequence[Sequence[Mark]],
    lengths: Mapping[Text, int],
    tokens: Mapping[Text, Sequence[tuple[int, int]]] | None = None,
) -> SpanAnswers:
    """Spans from columns of equal length, one row per answer about a text, in the order of submission.

    A text is an output, or, with None, the item's document; an answer that found nothing has no marks. `lengths` are
    in code points; `tokens` are the [start, end) of a text's words. Texts and items are numbered as they appear.

    Raises ValueError if the columns differ in length or a mark is not within its text.
    """
    if len({len(items), len(outputs), len(raters), len(marks)}) > 1:
        raise ValueError("the columns differ in length")
    rater_names, system_names = sorted(set(raters)), sorted({name for name in outputs if name is not None})
    label_names = sorted({mark.label for own in marks for mark in own})
    rater_code, label_code = ({name: code for code, name in enumerate(names)} for names in (rater_names, label_names))
    system_code: dict[str | None, int] = {name: code for code, name in enumerate(system_names)}
    item_code = {item: code for code, item in enumerate(dict.fromkeys(items))}
    text_code = {key: code for code, key in enumerate(dict.fromkeys(zip(items, outputs, strict=True)))}
    found = ((answer, mark) for answer, own in enumerate(marks) for mark in own)
    rows = [(own, one.start, one.end, label_code[one.label], VERDICTS[one.confirmed]) for own, one in found]
    answer, start, end, label, verdict = _columns(rows, 5)
    token_text, token_start, token_end = _words(text_code, tokens or {})
    texts = [(item_code[item], system_code.get(output, NO_SYSTEM), lengths[item, output]) for item, output in text_code]
    item, system, length = _columns(texts, 3)
    return SpanAnswers(
        text=np.array([text_code[key] for key in zip(items, outputs, strict=True)], dtype=np.int64),
        rater=np.array([rater_code[name] for name in raters], dtype=np.int64),
        answer=answer,
        start=start,
        end=end,
        label=label,
        verdict=verdict,
        weight=np.array([mark.weight for own in marks for mark in own], dtype=np.float64),
        item=item,
        system=system,
        length=length,
        token_text=token_text,
        token_start=token_start,
        token_end=token_end,
        raters=tuple(rater_names),
        systems=tuple(system_names),
        labels=tuple(label_names),
    )


def _words(texts: Mapping[Text, int], tokens: Mapping[Text, Sequence[tuple[int, int]]]) -> Ints:
    """Text, start and end of the words of all texts, (3, T), ordered by text and start."""
    return _columns([(code, *word) for key, code in texts.items() for word in sorted(tokens.get(key, ()))], 3)


def _columns(rows: Sequence[tuple[int, ...]], width: int) -> Ints:
    """The columns of a table, (width, rows), also if it has no rows."""
    return np.array(rows, dtype=np.int64).reshape(len(rows), width).T
