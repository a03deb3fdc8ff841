"""Preference pairs: what people's answers say of each two outputs of an item.

A person votes for one of two outputs, or for a tie: by choosing between them, by ranks, by calling one the best or the
worst, or by the values of a question whose key `better` says which end of its scale is better. The pair is decided if
one output has more votes than the other, and more than there are ties.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from annotation.models import Question, Study
from annotation.questions import question_types
from files.writing.table_list import Line
from parts.datasets.item_texts import in_batches, texts_of
from parts.datasets.unit_answers import ItemAnswers, PeopleAnswersByItem

FIRST, SECOND, TIED = 0, 1, 2
Pair = tuple[str, str]
"""Two systems, sorted by name."""
Votes = dict[Pair, Counter[int]]


@dataclass(frozen=True)
class PairVotes:
    """The votes on two outputs of an item, with their texts in the order of the pair."""

    question: str
    item: str
    prompt: str
    pair: Pair
    texts: tuple[str, str]
    votes: Counter[int]

    @property
    def winner(self) -> int | None:
        """The place in the pair of the output that is preferred; None if neither is."""
        for place in (FIRST, SECOND):
            if self.votes[place] > max(self.votes[1 - place], self.votes[TIED]):
                return place
        return None


def preference_lines(study: Study) -> Iterator[Line]:
    """Yield a line per question and pair of which one output is preferred."""
    for found in pair_votes(study):
        if (won := found.winner) is not None:
            yield {
                "question": found.question,
                "item": found.item,
                "prompt": found.prompt,
                "chosen": found.texts[won],
                "rejected": found.texts[1 - won],
                "chosen_system": found.pair[won],
                "rejected_system": found.pair[1 - won],
                "votes_chosen": found.votes[won],
                "votes_rejected": found.votes[1 - won],
                "votes_tied": found.votes[TIED],
            }


def tie_lines(study: Study) -> Iterator[Line]:
    """Yield a line per question and pair of which neither output is preferred."""
    for found in pair_votes(study):
        if found.winner is None:
            yield {
                "question": found.question,
                "item": found.item,
                "prompt": found.prompt,
                "first": found.texts[FIRST],
                "second": found.texts[SECOND],
                "first_system": found.pair[FIRST],
                "second_system": found.pair[SECOND],
                "votes_first": found.votes[FIRST],
                "votes_second": found.votes[SECOND],
                "votes_tied": found.votes[TIED],
            }


def pair_votes(study: Study) -> Iterator[PairVotes]:
    """Yield the votes by question, item and pair; only of pairs that somebody compared."""
    read = PeopleAnswersByItem(study)
    for question in study.questions.order_by("position"):
        vote = _voting(question)
        if vote is None:
            continue
        for batch in in_batches(read.items(question)):
            texts = texts_of([item.item for item in batch], read.names)
            for item in batch:
                of_item = texts[item.item]
                for pair, votes in sorted(vote(item, list(of_item.outputs)).items()):
                    said = of_item.outputs[pair[0]], of_item.outputs[pair[1]]
                    yield PairVotes(question.key, item.key, of_item.prompt, pair, said, votes)


def _voting(question: Question) -> Callable[[ItemAnswers, list[str]], Votes] | None:
    """The function that counts the votes of an item's answers; None if answers compare no outputs."""
    level, better = question_types()[question.type].level, question.spec.get("better")
    if level == "interval" and better is not None:
        return lambda item, systems: _of_values(item, better == "low")
    return VOTING.get(level)


def _of_choices(item: ItemAnswers, systems: list[str]) -> Votes:
    votes: Votes = {}
    for unit, answers in item.units.items():
        if len(unit.outputs) == 2:
            pair = unit.outputs[0], unit.outputs[1]
            counts = votes.setdefault(pair, Counter())
            counts.update(pair.index(value) if value in pair else TIED for value in answers.values())
    return votes


def _of_ranks(item: ItemAnswers, systems: list[str]) -> Votes:
    votes: Votes = {}
    for answers in item.units.values():
        for ranks in answers.values():
            _compare(votes, {system: rank for system, rank in ranks.items() if system in systems}, low_is_better=True)
    return votes


def _of_extremes(item: ItemAnswers, systems: list[str]) -> Votes:
    """The best is better than all others, and the worst worse: outputs between the two are not compared."""
    votes: Votes = {}
    for unit, answers in item.units.items():
        for rater, value in answers.items():
            shown, best, worst = item.shown[unit, rater] or systems, value["best"], value["worst"]
            for one, other in {(best, system) for system in shown} | {(system, worst) for system in shown}:
                if one != other:
                    pair = min(one, other), max(one, other)
                    votes.setdefault(pair, Counter())[pair.index(one)] += 1
    return votes


def _of_values(item: ItemAnswers, low_is_better: bool) -> Votes:
    """Each person's values of single outputs, compared with the same person's values of the item's others."""
    by_rater: dict[str, dict[str, float]] = {}
    for unit, answers in item.units.items():
        if len(unit.outputs) == 1:
            for rater, value in answers.items():
                by_rater.setdefault(rater, {})[unit.outputs[0]] = float(value)
    votes: Votes = {}
    for values in by_rater.values():
        _compare(votes, values, low_is_better)
    return votes


def _compare(votes: Votes, values: Mapping[str, float], low_is_better: bool) -> None:
    """Count one person's vote on each two of the outputs that have a value."""
    for one, other in combinations(sorted(values), 2):
        if values[one] == values[other]:
            vote = TIED
        else:
            vote = FIRST if (values[one] < values[other]) == low_is_better else SECOND
        votes.setdefault((one, other), Counter())[vote] += 1


VOTING: Mapping[str, Callable[[ItemAnswers, list[str]], Votes]] = {
    "choice": _of_choices,
    "rank": _of_ranks,
    "extremes": _of_extremes,
}
"""How votes are counted, by the level of the question's type."""
