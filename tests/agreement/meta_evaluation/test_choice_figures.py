from collections import Counter

import numpy as np
import pytest

from agreement.arrays.pair_choices import CHOICES, FIRST, SECOND, TIE, UNKNOWN
from agreement.meta_evaluation.choice_figures import (
    NO_LENGTH,
    NO_MAJORITY,
    NO_ORDER,
    NO_PAIR_OF_THREE,
    NO_THREE_PEOPLE,
    against_majority,
    leave_one_out_of,
    leave_one_out_scores,
    majority_of,
    order_and_length,
    pair_counts,
    people_in_turn,
    people_leave_one_out,
)
from agreement.meta_evaluation.confusion import confusion_table

pytestmark = pytest.mark.quick
SIGN = {FIRST: 1, SECOND: -1, TIE: 0}


def modes(answers):
    counted = Counter(answers)
    return {answer for answer, n in counted.items() if n == max(counted.values())}


def by_pair(choices):
    found = {}
    for a, b, rater, choice in zip(choices.first, choices.second, choices.rater, choices.choice, strict=True):
        found.setdefault((int(a), int(b)), {}).setdefault(int(rater), []).append(int(choice))
    return found


def left_out(answers):
    """For each person: the answers of the others."""
    return [answers[:n] + answers[n + 1 :] for n in range(len(answers))]


@pytest.fixture
def drawn(outputs_of, random_choices):
    def build(seed):
        rng = np.random.default_rng(seed)
        outputs = outputs_of(10, 3, rng.integers(1, 4, 30))
        people = random_choices(rng, outputs, 900, raters=5).latest(outputs)
        judge = random_choices(rng, outputs, 500, raters=1)
        return outputs, people, judge

    return build


def value(sums, items, column=0):
    return sums.at(np.ones((1, items)))[0, column]


@pytest.mark.parametrize("seed", range(5))
def test_leave_one_out_is_that_of_a_loop_over_subsets(seed, drawn):
    outputs, people, judge = drawn(seed)
    counts, given, asked = pair_counts(people, outputs), by_pair(people), by_pair(judge)
    of_judge, of_people = [], []
    for pair, raters in given.items():
        answers = [own[-1] for own in raters.values()]
        if len(answers) < 3:
            continue
        rests = [modes(rest) for rest in left_out(answers)]
        of_people.append(np.mean([(own in rest) / len(rest) for own, rest in zip(answers, rests, strict=True)]))
        if pair in asked:
            scores = [np.mean([(own in rest) / len(rest) for rest in rests]) for own in asked[pair][0]]
            of_judge.append(np.mean(scores))
    assert value(leave_one_out_of(judge, counts, outputs), 10) == pytest.approx(np.mean(of_judge))
    assert value(people_leave_one_out(counts, outputs), 10) == pytest.approx(np.mean(of_people))


@pytest.mark.parametrize("seed", range(3))
def test_majorities_are_those_of_a_loop(seed, drawn):
    outputs, people, judge = drawn(seed)
    counts, given = pair_counts(people, outputs), by_pair(people)
    table, in_turn = Counter(), Counter()
    for a, b, choice in zip(judge.first.tolist(), judge.second.tolist(), judge.choice.tolist(), strict=True):
        most = modes([own[-1] for own in given.get((a, b), {}).values()] or [FIRST, SECOND])
        if len(most) == 1:
            table[CHOICES[most.pop()], CHOICES[choice]] += 1
    for raters in given.values():
        answers = [own[-1] for own in raters.values()]
        for own, rest in zip(answers, left_out(answers), strict=True):
            if rest and len(most := modes(rest)) == 1:
                in_turn[CHOICES[most.pop()], CHOICES[own]] += 1
    for sums, expected in (
        (against_majority(judge, counts, outputs), table),
        (people_in_turn(people, counts, outputs), in_turn),
    ):
        turned = {"first": "second", "second": "first", "tie": "tie"}
        mirrored = Counter({(turned[a], turned[b]): n for (a, b), n in expected.items()})
        found = confusion_table(sums, CHOICES)
        both = {cell: n / 2 for cell, n in (expected + mirrored).items()}
        assert {(a, b): n for a, row in found.items() for b, n in row.items() if n} == both


@pytest.mark.parametrize("seed", range(3))
def test_position_and_length_are_those_of_a_loop(seed, drawn):
    outputs, _, judge = drawn(seed)
    rows = list(zip(judge.first, judge.second, judge.choice, judge.shown_first, strict=True))
    position = [SIGN[choice] * SIGN[shown] for _, _, choice, shown in rows if shown != UNKNOWN]
    longer = [
        SIGN[choice] * np.sign(outputs.length[a] - outputs.length[b])
        for a, b, choice, _ in rows
        if outputs.length[a] != outputs.length[b]
    ]
    found = order_and_length(judge, outputs, pair_counts(judge, outputs)).at(np.ones((1, 10)))[0]
    assert found == pytest.approx([np.mean(position), np.mean(longer)])


def test_the_majority_is_a_single_greatest_count():
    counts = np.array([[3, 1, 0], [2, 2, 1], [0, 0, 0], [0, 0, 1]], dtype=float)
    assert majority_of(counts).tolist() == [FIRST, NO_MAJORITY, NO_MAJORITY, TIE]
    assert majority_of(np.zeros((0, 3))).tolist() == []


def test_the_worked_leave_one_out():
    # Answers first, first, second: without a first the rest are split, without the second the mode is first.
    counts = np.array([[2.0, 1, 0]] * 3)
    assert leave_one_out_scores(counts, np.array([FIRST, SECOND, TIE])) == pytest.approx([2 / 3, 1 / 3, 0])


def test_undefined_figures_have_a_reason(outputs_of, chosen):
    outputs = outputs_of(1, 2)
    people = pair_counts(chosen([(0, 1, "p", 0), (0, 1, "q", 0)]), outputs)
    judge = chosen([(0, 1, "j", 0, False)])
    of_judge, of_people = leave_one_out_of(judge, people, outputs), people_leave_one_out(people, outputs)
    for sums, reason in ((of_judge, NO_PAIR_OF_THREE), (of_people, NO_THREE_PEOPLE)):
        assert np.isnan(value(sums, 1))
        assert sums.reason(("leave_one_out",)) == reason
    bias = order_and_length(judge, outputs, pair_counts(judge, outputs))
    assert np.isnan(bias.at(np.ones((1, 1)))).all()
    assert [bias.reason(key) for key in bias.keys] == [NO_ORDER, NO_LENGTH]
    empty = pair_counts(chosen([]), outputs)
    assert np.isnan(value(leave_one_out_of(judge, empty, outputs), 1))
    assert np.isnan(value(against_majority(judge, empty, outputs), 1))


def test_length_bias_of_a_judge_is_of_the_pairs_that_people_judged(outputs_of, chosen):
    outputs = outputs_of(2, 2, [1, 9, 1, 9])
    judge = chosen([(0, 1, "j", 1), (2, 3, "j", 2)])  # prefers the longer output of the first pair alone
    people = pair_counts(chosen([(0, 1, "p", 0)]), outputs)
    figures = dict(
        zip(("position", "length"), order_and_length(judge, outputs, people).at(np.ones((1, 2)))[0], strict=True)
    )
    assert figures["length"] == 1
