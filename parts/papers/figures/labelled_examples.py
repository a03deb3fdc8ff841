"""What labels of turns mean: each with its share, its definition and an example from the study.

Source: Xu et al. 2024, *KIWI*, Table 3 (types of instructions) and Table 4 (categories of errors, with the user's
comment). An example is the turn of that label that comes first in a seeded order, so nobody chooses it, and other turns
change it only if they come before it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from agreement.intervals.report_entries import Report
from agreement.turns.turn_figures import LEAST_SHARE, OTHERS, shares

NO_TURN = "no turn has this label"
NO_DEFINITION = "no definition was given for this label"


@dataclass(frozen=True)
class LabelledTurn:
    """A turn's label with the instruction, and the user's comment if there is one."""

    session: str
    number: int
    label: str
    instruction: str
    comment: str | None = None


def labelled_examples(
    turns: Sequence[LabelledTurn], definitions: Mapping[str, str], *, merge: bool = True, seed: int = 0
) -> Report:
    """`labels` by name, those with a definition first: {n, of, share, definition, example}.

    An example is {session, turn, instruction, comment}. With `merge`, labels with less than 5 % of the turns are
    reported as others, whose `merged` names them, each with its own `n` and definition. `undefined` has the reason for
    a definition or an example that is None.
    """
    counted = shares((turn.label for turn in turns), definitions)
    small = {name for name, one in counted.items() if merge and 0 < one["n"] < LEAST_SHARE * one["of"]} - {OTHERS}
    reported = [OTHERS if turn.label in small else turn.label for turn in turns]
    names = [name for name in counted if name not in small | {OTHERS}]
    names += [OTHERS] if small or OTHERS in counted else []
    labels: Report = {}
    undefined: dict[str, str] = {}
    for name, figure in shares(reported, names).items():
        own = [turn for turn, label in zip(turns, reported, strict=True) if label == name]
        example = min(own, key=lambda turn: _order(turn, seed), default=None)
        labels[name] = {**figure, "definition": definitions.get(name), "example": _entry(example)}
        undefined |= {f"labels.{name}.definition": NO_DEFINITION} if name not in definitions else {}
        undefined |= {f"labels.{name}.example": NO_TURN} if example is None else {}
    if OTHERS in labels:
        labels[OTHERS]["merged"] = {
            name: {"n": counted[name]["n"], "definition": definitions.get(name)} for name in sorted(small)
        }
    return {"labels": labels, "turns": len(turns), "seed": seed, "undefined": undefined}


def _order(turn: LabelledTurn, seed: int) -> str:
    return sha256(f"{seed} {turn.number} {turn.session}".encode()).hexdigest()


def _entry(turn: LabelledTurn | None) -> Report | None:
    if turn is None:
        return None
    return {
        "session": turn.session, "turn": turn.number, "instruction": turn.instruction, "comment": turn.comment
    }  # fmt: skip
