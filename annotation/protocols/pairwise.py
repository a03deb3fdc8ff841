"""Pairwise choice (HREF): which of two outputs, side by side, is better."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Any

from django.utils.translation import gettext_noop

from annotation.models.study import Question
from annotation.protocols import Protocol, Sheet, StudyInvalidError, TaskPlan, Unit, UnitInvalidError, read_pair
from annotation.questions import question_types
from annotation.questions.preference import TIE
from annotation.spec_fields import SpecField

EVERY = "all"
PAIRS = 'options.pairs must be "all", {baseline: system}, {list: [[system, system], ...]} or {sample: number}'


class PairwiseProtocol(Protocol):
    """One task per pair of outputs; the option `pairs` selects the pairs of an item."""

    key = "pairwise"
    label = gettext_noop("Pairwise choice")
    own_types = frozenset({"preference"})
    option_keys = frozenset({"pairs"})
    option_fields = (
        SpecField(
            "pairs", "Pairs to compare", kind="either", default=EVERY,
            choices=(
                (EVERY, "Every pair of an item's outputs"), ("baseline", "Every output with one system's"),
                ("list", "Pairs from a list"), ("sample", "A balanced sample of each item's pairs"),
            ),
            fields=(
                SpecField("baseline", "System to compare with", help="The id of its outputs."),
                SpecField("list", "Pairs of systems", kind="pairs", help="One pair per line, such as: north, south"),
                SpecField("sample", "Pairs per item", kind="whole", least=1),
            ),
        ),
    )  # fmt: skip
    unit_keys = frozenset({"output", "outputs"})
    reading_aids = frozenset({"differences", "checklist", "examples"})

    def check_study(self, questions: Sequence[Question], options: Mapping[str, Any]) -> None:
        _check_pairs(options.get("pairs", EVERY))
        choices = {question.key for question in questions if _is_choice(question)}
        if not choices:
            raise StudyInvalidError("questions: one must be of type preference, since two outputs are compared")
        for question in questions:
            per, when = question.spec.get("per", "task"), question.spec.get("when")
            if per not in ("output", "task"):
                raise StudyInvalidError(f"question {question.key}: per must be output or task")
            if question.key in choices and per != "task":
                raise StudyInvalidError(f"question {question.key}: a preference is asked once per task, not per output")
            # The page contains the answer that makes a question apply: a system's name there would unblind the rater.
            if when is not None and when["question"] in choices and when["equals"] != TIE:
                reason = f'when.equals may only be "{TIE}" here: an output\'s id would be sent to the raters'
                raise StudyInvalidError(f"question {question.key}: {reason}")

    def check_outputs(self, keys: Collection[str]) -> None:
        if TIE in keys:
            reason = f'"{TIE}" cannot be the id of an output here, where it is the answer that neither is better'
            raise UnitInvalidError("outputs", f"{reason}: give it another id")

    def systems_in(self, options: Mapping[str, Any]) -> set[str]:
        name, asked = _named(options), options.get("pairs", EVERY)
        if name == "list":
            return {system for pair in asked[name] for system in pair}
        return {asked[name]} if name == "baseline" else set()

    def counts_items(self, options: Mapping[str, Any]) -> bool:
        return True

    def plan(self, outputs: Sequence[str], options: Mapping[str, Any], number: int = 0) -> list[TaskPlan]:
        name, pairs = _named(options), list(combinations(outputs, 2))
        asked = options.get("pairs", EVERY)
        if name == "baseline":
            pairs = [pair for pair in pairs if asked[name] in pair]
        elif name == "list":
            wanted = {frozenset(pair) for pair in asked[name]}
            pairs = [pair for pair in pairs if frozenset(pair) in wanted]
        elif name == "sample":
            drawn = _sample(outputs, asked[name], number, options.get("seed", 0))
            return [TaskPlan(pair, turn=drawn[frozenset(pair)]) for pair in pairs if frozenset(pair) in drawn]
        return [TaskPlan(outputs=pair) for pair in pairs]

    def allows(self, plan: TaskPlan, outputs: Sequence[str], options: Mapping[str, Any]) -> bool:
        # A sample changes when an item gets more outputs; pairs planned before stay.
        pairs = [TaskPlan(outputs=pair) for pair in combinations(outputs, 2)]
        return _named(options) == "sample" and plan in pairs

    def orders(self, count: int, slots: int, random: Random, number: int = 0, seed: int = 0) -> list[list[int]]:
        """Balance the sides: each output is left as often as right; the odd slot's side alternates between items."""
        orders = [list(range(count))[:: 1 if (slot + number + seed) % 2 else -1] for slot in range(slots)]
        # Shuffled, so that a rater who often gets a task's first slot also sees both sides.
        random.shuffle(orders)
        return orders

    def keeps_raters(self, options: Mapping[str, Any]) -> bool:
        return bool(options.get("same_raters", False))

    def whole(self, sheet: Sheet) -> Unit:
        return Unit(*sheet.keys)

    def read_unit(self, line: Mapping[str, Any], question: Question) -> Unit:
        if question.spec.get("per") == "output":
            if line.get("outputs") is not None:
                raise UnitInvalidError("outputs", "this question is asked per output: give its id as output")
            return super().read_unit(line, question)
        outputs = line.get("outputs")
        if line.get("output") is not None:
            raise UnitInvalidError("output", "this question is about a pair: give the ids of both as outputs")
        if outputs is None:
            raise UnitInvalidError("outputs", "is missing: give the two outputs compared, in the order shown")
        return read_pair(line)

    def asks_about(self, question: Question) -> str:
        return "output" if question.spec.get("per") == "output" else "pair"


def _is_choice(question: Question) -> bool:
    return question_types()[question.type].level == "choice"


def _named(options: Mapping[str, Any]) -> str:
    """Return the kind of the `pairs` option: all, baseline, list or sample."""
    pairs = options.get("pairs", EVERY)
    return next(iter(pairs)) if isinstance(pairs, Mapping) else EVERY


def _check_pairs(pairs: Any) -> None:
    if pairs == EVERY:
        return
    if not isinstance(pairs, dict) or len(pairs) != 1:
        raise StudyInvalidError(PAIRS)
    name, given = next(iter(pairs.items()))
    if name == "baseline" and isinstance(given, str) and given:
        return
    if name == "list" and isinstance(given, list) and given and all(_is_pair(pair) for pair in given):
        return
    if name == "sample" and type(given) is int and given >= 1:
        return
    raise StudyInvalidError(PAIRS)


def _is_pair(pair: Any) -> bool:
    return (
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(key, str) for key in pair) and pair[0] != pair[1]
    )


def _sample(outputs: Sequence[str], size: int, number: int, seed: int) -> dict[frozenset[str], int]:
    """Return the next `size` games of a tournament across items, each with how often it was played before.

    If all items have the same systems, then at every point of the study the counts of any two systems differ by at most
    one, and so do those of any two pairs.
    """
    systems = sorted(outputs)
    Random(f"{seed}:{len(systems)}").shuffle(systems)  # noqa: S311 - reproducible, not secret
    games = _tournament(len(systems))
    if not games:
        return {}
    size = min(size, len(games))
    played = {}
    for game in range(number * size, (number + 1) * size):
        before, place = divmod(game, len(games))
        one, other = games[place]
        played[frozenset((systems[one], systems[other]))] = before
    return played


def _tournament(players: int) -> list[tuple[int, int]]:
    """Return every pair once, ordered so that the players' numbers of games never differ by more than one.

    Even numbers: the rounds of the circle method, in which everybody plays once. Odd numbers: Walecki's
    Hamiltonian cycles, each with every second edge first, then the closing one, then the rest.
    """
    if players < 2:
        return []
    if players == 2:
        return [(0, 1)]
    last = players - 1
    if players % 2 == 0:
        rounds = ([(last, turn), *_across(turn, last)] for turn in range(last))
        return [game for games in rounds for game in games]
    found = []
    for turn in range(last // 2):
        steps = [turn + (step + 1) // 2 * (1 if step % 2 else -1) for step in range(last)]
        cycle = [last, *(step % last for step in steps)]
        edges = [(cycle[place], cycle[(place + 1) % players]) for place in range(players)]
        found += edges[0::2] + edges[1::2]
    return found


def _across(turn: int, size: int) -> list[tuple[int, int]]:
    return [((turn + step) % size, (turn - step) % size) for step in range(1, (size + 1) // 2)]


PROTOCOL = PairwiseProtocol()
