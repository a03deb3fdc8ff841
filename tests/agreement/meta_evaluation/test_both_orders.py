import numpy as np
import pytest

from agreement.arrays.pair_choices import FIRST, SECOND, TIE
from agreement.intervals.bootstrap import estimate
from agreement.meta_evaluation.both_orders import NOT_ASKED_TWICE, both_orders
from agreement.meta_evaluation.choice_figures import pair_counts
from agreement.meta_evaluation.output_answers import OutputChoices
from tests.agreement.exchangeable_alpha import exchangeable_alpha

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("seed", range(4))
def test_figures_are_those_of_a_loop_over_pairs(seed, outputs_of, random_choices):
    rng = np.random.default_rng(seed)
    outputs = outputs_of(15, 3)
    people = random_choices(rng, outputs, 6000, raters=2).latest(outputs)
    judge = random_choices(rng, outputs, 12000, raters=1)
    given, answered = {}, {}
    for pair, choice in zip(people.pair(outputs).tolist(), people.choice.tolist(), strict=True):
        given.setdefault(pair, []).append(choice)
    for pair, choice, order in zip(
        judge.pair(outputs).tolist(), judge.choice.tolist(), judge.shown_first.tolist(), strict=True
    ):
        answered[pair, order] = choice
    rows = [
        (choices[0], answered[pair, FIRST], answered[pair, SECOND])
        for pair, choices in given.items()
        if len(choices) == 2 and choices[0] == choices[1] != TIE and (pair, FIRST) in answered
        and (pair, SECOND) in answered
    ]  # fmt: skip
    agreed, first, second = np.array(rows).T

    def accuracy(one, other):
        return np.mean(one == other)

    def alpha(one, other):
        return exchangeable_alpha(list(zip(one.tolist(), other.tolist(), strict=True)))

    found = both_orders(judge, pair_counts(people, outputs), outputs)
    assert found.pairs == len(rows) > 3
    assert found.at(np.ones((1, 15)))[0] == pytest.approx(
        [
            (accuracy(agreed, first) + accuracy(agreed, second)) / 2,
            alpha(np.tile(agreed, 2), np.concatenate([first, second])),
            accuracy(first, second),
            alpha(first, second),
        ]
    )


def test_pairs_asked_once_or_without_agreement_do_not_count(outputs_of, chosen):
    outputs = outputs_of(1, 4)
    people = pair_counts(
        chosen([(0, 1, "p", 0), (0, 1, "q", 0), (0, 2, "p", 0), (0, 2, "q", 2), (0, 3, "p", 0)]), outputs
    )
    rows = [(0, 1, "j", 0), (0, 2, "j", 0), (2, 0, "j", 0), (0, 3, "j", 0), (3, 0, "j", 0)]
    once = both_orders(chosen(rows), people, outputs)
    assert once.pairs == 0
    assert np.isnan(once.at(np.ones((1, 1)))).all()
    assert once.reason(once.keys[0]) == NOT_ASKED_TWICE
    twice = both_orders(chosen([*rows, (1, 0, "j", 0)]), people, outputs)
    # Both always choose the same output: alpha is 1, because it could have been the other one.
    assert twice.at(np.ones((1, 1)))[0] == pytest.approx([1, 1, 1, 1])


def test_a_judge_that_always_takes_the_first_disagrees_with_itself(outputs_of, chosen):
    outputs = outputs_of(3, 2)
    pairs = [(0, 1), (2, 3), (4, 5)]
    people = pair_counts(chosen([(a, b, name, a) for a, b in pairs for name in "pq"]), outputs)
    judge = chosen([(a, b, "j", a) for a, b in pairs] + [(b, a, "j", b) for a, b in pairs])
    accuracy, _, self_accuracy, self_alpha = both_orders(judge, people, outputs).at(np.ones((1, 3)))[0]
    assert (accuracy, self_accuracy) == (0.5, 0)
    assert self_alpha < 0


def test_which_outputs_of_some_items_come_first_changes_nothing(outputs_of, random_choices):
    rng = np.random.default_rng(5)
    outputs = outputs_of(40, 2)
    people = random_choices(rng, outputs, 20000, raters=2).latest(outputs)
    judge = random_choices(rng, outputs, 20000, raters=1)
    turned = rng.random(40) < 0.5
    mirror = np.array([SECOND, FIRST, TIE])

    def swapped(choices):
        own = turned[outputs.item[choices.first]]
        shown = np.where(choices.shown_first < 0, choices.shown_first, mirror[choices.shown_first])
        return OutputChoices(
            choices.first,
            choices.second,
            choices.rater,
            np.where(own, mirror[choices.choice], choices.choice),
            np.where(own, shown, choices.shown_first),
            choices.raters,
        )

    weights = np.concatenate([np.ones((1, 40)), rng.integers(0, 3, (20, 40))]).astype(float)
    one = both_orders(judge, pair_counts(people, outputs), outputs)
    other = both_orders(swapped(judge), pair_counts(swapped(people), outputs), outputs)
    assert one.pairs > 3
    assert other.at(weights) == pytest.approx(one.at(weights), nan_ok=True)


def test_the_accuracies_are_shares_with_their_intervals(outputs_of, chosen):
    outputs = outputs_of(6, 2)
    rows = [(2 * item + side, 2 * item + 1 - side, "j", 2 * item) for item in range(6) for side in (0, 1)]
    people = chosen([(2 * item, 2 * item + 1, who, 2 * item) for item in range(6) for who in "pq"])
    found = estimate([both_orders(chosen(rows), pair_counts(people, outputs), outputs)], 6, 50, 1)
    for name in ("accuracy", "self_accuracy"):
        figure = found["both_orders", name]
        assert (figure.value, figure.interval[1]) == (1, 1)
        assert 0.4 < figure.interval[0] < 0.6
