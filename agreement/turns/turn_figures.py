"""Figures of revision sessions: the number of turns by kind, their ratings, and how much they changed the text.

Source: Xu et al. 2024, *KIWI*, Tables 2, 3, 4 and 6 and Figure 2. Every share comes with its count `n` and the total
`of`, every mean with its `n`. A share or mean of nothing is None.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.text_lengths import edit_distance, tokens

GOOD = "good"
RATINGS = (GOOD, "neutral", "bad")
KINDS = ("information", "style")
OTHERS = "others"
LEAST_SHARE = 0.05
"""Instruction types with a smaller share are reported as others."""
TEXT_FIGURES = ("instruction_words", "source_words", "target_words", "length_ratio", "edit_distance", "edit_ratio")


@dataclass(frozen=True)
class TurnRow:
    """One answered turn of a session.

    `source` is the answer before the turn, `target` the answer after it, as edited by the user if it was edited;
    `number` counts from 1; `rating` is the session user's own, None if not given yet. The last two are None if nobody
    labelled the turn.
    """

    session: str
    model: str
    number: int
    kind: str
    rating: str | None
    instruction: str
    source: str
    target: str
    edited: bool = False
    instruction_type: str | None = None
    error_category: str | None = None


def share(n: int, of: int) -> dict[str, Any]:
    """`n` of `of` as a share, None if `of` is 0."""
    return {"n": n, "of": of, "share": n / of if of else None}


def shares(values: Iterable[str], names: Iterable[str] = ()) -> dict[str, dict[str, Any]]:
    """The share of each value: of each of `names`, even if it never occurs, then of other values by name."""
    counted = Counter(values)
    of = counted.total()
    ordered = [*names, *sorted(set(counted) - set(names))]
    return {name: share(counted[name], of) for name in ordered}


def overview(turns: Sequence[TurnRow], sessions: Mapping[str, str]) -> dict[str, Any]:
    """Table 2, per model and in total: sessions, turns, edited turns, mean turns per session, kinds of instructions.

    `sessions` has the model of each session with a first answer; those without a turn count in the mean too.

    Raises ValueError for a turn of an unknown session, or with another model than its session's.
    """
    if any(sessions.get(turn.session) != turn.model for turn in turns):
        raise ValueError("a turn belongs to no known session, or has another model than its session")

    def figures(own: Sequence[TurnRow], number: int) -> dict[str, Any]:
        return {
            "sessions": number,
            "turns": len(own),
            "edited": sum(turn.edited for turn in own),
            "turns_per_session": len(own) / number if number else None,
            "kinds": shares((turn.kind for turn in own), KINDS),
        }

    begun = Counter(sessions.values())
    models = {model: figures([turn for turn in turns if turn.model == model], begun[model]) for model in sorted(begun)}
    return {"models": models, "total": figures(turns, len(sessions))}


def ratings_by_kind(turns: Sequence[TurnRow]) -> dict[str, Any]:
    """Figure 2, top: the share of each rating, per model and in total, by kind of instruction and overall.

    Turns without a rating are left out; `unrated` counts them.
    """

    def figures(own: Sequence[TurnRow]) -> dict[str, Any]:
        rated = [(turn.kind, turn.rating) for turn in own if turn.rating is not None]
        by_kind = {kind: shares((rating for of, rating in rated if of == kind), RATINGS) for kind in _kinds(turns)}
        return {**by_kind, "overall": shares((rating for _, rating in rated), RATINGS)}

    return {**_by_model(turns, figures), "unrated": sum(turn.rating is None for turn in turns)}


def kinds_by_position(turns: Sequence[TurnRow]) -> list[dict[str, Any]]:
    """Figure 2, bottom: the share of each kind among the instructions at each position in a session, from 1."""
    places = sorted({turn.number for turn in turns})
    return [
        {"position": place, "kinds": shares((turn.kind for turn in turns if turn.number == place), KINDS)}
        for place in places
    ]


def merged_types(turns: Sequence[TurnRow]) -> dict[str, str]:
    """The name under which each instruction type is reported: its own, or others if its share is below 5 %."""
    counted = shares(turn.instruction_type for turn in turns if turn.instruction_type is not None)
    return {name: OTHERS if figure["share"] < LEAST_SHARE else name for name, figure in counted.items()}


def instruction_types(turns: Sequence[TurnRow]) -> dict[str, Any]:
    """Table 3: for each instruction type its share, the kinds within it, and the share rated good per model.

    Shares are of the turns with a type; `untyped` counts the others. `merged` lists the types below 5 %.
    """
    names = merged_types(turns)
    typed = [(names[turn.instruction_type], turn) for turn in turns if turn.instruction_type is not None]
    types = {}
    for name, figure in sorted(shares(name for name, _ in typed).items(), key=lambda one: one[0] == OTHERS):
        own = [turn for other, turn in typed if other == name]
        types[name] = {**figure, "kinds": shares((turn.kind for turn in own), KINDS), "good": _by_model(own, _good)}
    return {
        "types": types,
        "merged": sorted(name for name, reported in names.items() if reported == OTHERS and name != OTHERS),
        "untyped": len(turns) - len(typed),
    }


def error_categories(turns: Sequence[TurnRow]) -> dict[str, Any]:
    """Table 4: the share of each error category among the turns rated neutral or bad that have one.

    `uncategorised` counts the turns rated neutral or bad without a category.
    """
    failed = [turn for turn in turns if turn.rating is not None and turn.rating != GOOD]
    found = [turn.error_category for turn in failed if turn.error_category is not None]
    return {"categories": shares(found), "turns": len(failed), "uncategorised": len(failed) - len(found)}


def has_good_target(turn: TurnRow) -> bool:
    """Whether the turn's target follows its instruction: it was rated good, or edited until it did."""
    return turn.rating == GOOD or turn.edited


def text_figures(turns: Sequence[TurnRow]) -> dict[str, Any]:
    """Table 6: means of words, length ratio, edit distance and edit ratio, by type, kind and model, and in total.

    Only turns rated good or edited count. Ratios are means of the turns' ratios, without turns that have an empty
    source; each figure has its own `n`.
    """
    measured = [(turn, text_measures(turn)) for turn in turns if has_good_target(turn)]
    names = merged_types(turns)

    def grouped(key: Callable[[TurnRow], str | None]) -> dict[str, Any]:
        keys = sorted(
            {name for turn, _ in measured if (name := key(turn)) is not None}, key=lambda one: (one == OTHERS, one)
        )
        return {name: _means([figures for turn, figures in measured if key(turn) == name]) for name in keys}

    return {
        "types": grouped(lambda turn: names.get(turn.instruction_type or "")),
        "kinds": grouped(lambda turn: turn.kind),
        "models": grouped(lambda turn: turn.model),
        "total": _means([figures for _, figures in measured]),
    }


def text_measures(turn: TurnRow) -> tuple[float | None, ...]:
    """The figures of one turn, in the order of `TEXT_FIGURES`; the ratios are None if the source is empty."""
    source, target = tokens(turn.source), tokens(turn.target)
    distance, words = edit_distance(source, target), len(source)
    ratios = (len(target) / words, distance / words) if words else (None, None)
    return len(tokens(turn.instruction)), words, len(target), ratios[0], distance, ratios[1]


def _means(rows: Sequence[tuple[float | None, ...]]) -> dict[str, Any]:
    means: dict[str, Any] = {"turns": len(rows)}
    for name, column in zip(TEXT_FIGURES, zip(*rows, strict=True) if rows else [()] * len(TEXT_FIGURES), strict=True):
        known = [value for value in column if value is not None]
        means[name] = {"n": len(known), "mean": sum(known) / len(known) if known else None}
    return means


def _good(turns: Sequence[TurnRow]) -> dict[str, Any]:
    rated = [turn.rating for turn in turns if turn.rating is not None]
    return share(rated.count(GOOD), len(rated))


def _kinds(turns: Sequence[TurnRow]) -> list[str]:
    return [*KINDS, *sorted({turn.kind for turn in turns} - set(KINDS))]


def _by_model(turns: Sequence[TurnRow], figures: Callable[[Sequence[TurnRow]], Any]) -> dict[str, Any]:
    models = sorted({turn.model for turn in turns})
    own = {model: figures([turn for turn in turns if turn.model == model]) for model in models}
    return {"models": own, "total": figures(turns)}
