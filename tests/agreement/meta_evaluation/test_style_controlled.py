import choix
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from agreement.arrays.pair_choices import FIRST, SECOND, TIE, UNKNOWN
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs
from agreement.meta_evaluation.style_controlled import CONSTANT, relative_differences, style_controlled
from agreement.systems.bradley_terry import NOT_FITTED, OUTSIDE

THETA = np.array([0.8, 0.2, -0.3, -0.7])


def battles(seed, items, theta=THETA, beta=(0.6, 0.0), ties=0.15, raters=2):
    """Choices between all outputs of each item, drawn from the model with two features of the outputs."""
    rng = np.random.default_rng(seed)
    systems = len(theta)
    names = tuple("abcdefgh"[:systems])
    style = np.stack([rng.gamma(4, 50, items * systems), rng.poisson(3, items * systems)], axis=1)
    outputs = Outputs(
        np.repeat(np.arange(items), systems), np.tile(np.arange(systems), items), style[:, 0], names, items
    )
    one, other = np.triu_indices(systems, 1)
    first = np.tile((np.arange(items)[:, None] * systems + one).ravel(), raters)
    second = np.tile((np.arange(items)[:, None] * systems + other).ravel(), raters)
    n = first.size
    empty = OutputChoices(first, second, np.zeros(n, int), np.zeros(n, int), np.full(n, UNKNOWN), ("r",))
    x = relative_differences(empty, style)
    scaled = x / np.sqrt((x**2).mean(axis=0))
    chance = expit(np.asarray(theta)[outputs.system[first]] - np.asarray(theta)[outputs.system[second]] + scaled @ beta)
    choice = np.where(rng.random(n) < chance, FIRST, SECOND)
    choice = np.where(rng.random(n) < ties * 4 * chance * (1 - chance), TIE, choice)
    return OutputChoices(first, second, empty.rater, choice, empty.shown_first, ("r",)), outputs, x


def test_it_maximises_the_likelihood_with_half_wins():
    choices, outputs, x = battles(1, 30)
    scaled = x / np.sqrt((x**2).mean(axis=0))
    first, second = outputs.system[choices.first], outputs.system[choices.second]
    y = np.array([1, 0, 0.5])[choices.choice]

    def loss(b):
        eta = b[first] - b[second] + scaled @ b[4:]
        return -(y * eta - np.logaddexp(0, eta)).sum() + b[:4].sum() ** 2

    expected = minimize(loss, np.zeros(6), tol=1e-12).x
    found = style_controlled(choices, outputs, x, ("length", "lists"), replicates=50)
    assert [one.value for one in found.strengths] == pytest.approx(expected[:4], abs=1e-4)
    assert [one.value for one in found.effects] == pytest.approx(expected[4:], abs=1e-4)
    assert (found.judgments, found.items) == (360, 30)


def test_without_features_or_ties_it_equals_an_independent_implementation():
    choices, outputs, _ = battles(2, 40, ties=0)
    games = [
        (b, a) if chosen == SECOND else (a, b)
        for a, b, chosen in zip(
            outputs.system[choices.first], outputs.system[choices.second], choices.choice, strict=True
        )
    ]
    found = style_controlled(choices, outputs, np.zeros((choices.choice.size, 0)), ())
    assert [one.value for one in found.strengths] == pytest.approx(choix.ilsr_pairwise(4, games, alpha=0), abs=1e-5)


def test_the_score_bootstrap_has_the_deviations_of_refitted_draws():
    choices, outputs, x = battles(3, 60)
    found = style_controlled(choices, outputs, x, ("length", "lists"), replicates=2000)
    rng, refitted = np.random.default_rng(0), []
    rows = [np.flatnonzero(outputs.item[choices.first] == item) for item in range(60)]
    for _ in range(300):
        drawn = np.concatenate([rows[item] for item in rng.integers(0, 60, 60)])
        again = style_controlled(choices.only(drawn), outputs, x[drawn], ("length", "lists"), replicates=0)
        refitted.append([one.value for one in (*again.strengths, *again.effects)])
    expected = np.std(refitted, axis=0, ddof=1)
    assert [one.se for one in (*found.strengths, *found.effects)] == pytest.approx(expected, rel=0.2)


def test_intervals_and_ranks_cover_the_true_ones():
    inside, rank_inside, plain_inside, drawn = np.zeros(6), np.zeros(4), 0, 150
    for seed in range(drawn):
        choices, outputs, x = battles(seed, 60, ties=0)
        found = style_controlled(choices, outputs, x, ("length", "lists"), replicates=300)
        both = (*found.strengths, *found.effects)
        inside += [
            one.interval[0] <= truth <= one.interval[1] for one, truth in zip(both, (*THETA, 0.6, 0), strict=True)
        ]
        rank_inside += [one.rank_interval[0] <= n <= one.rank_interval[1] for n, one in enumerate(found.strengths, 1)]
        ranks = [one.rank for one in found.strengths]
        plain_inside += ranks == [1, 2, 3, 4]
        assert ranks[0] == 1
        assert max(ranks) <= 4
    assert (inside / drawn >= 0.88).all()
    assert (inside / drawn).mean() < 0.99
    assert (rank_inside / drawn >= 0.95).all()
    assert plain_inside / drawn > 0.3


def test_a_system_that_is_only_longer_loses_its_lead():
    rng = np.random.default_rng(5)
    items = 800
    length = np.stack([rng.gamma(9, 30, items) + 150, rng.gamma(9, 30, items)], axis=1).ravel()
    outputs = Outputs(np.repeat(np.arange(items), 2), np.tile([0, 1], items), length, ("a", "b"), items)
    first = np.arange(0, 2 * items, 2)
    empty = OutputChoices(first, first + 1, first * 0, first * 0, np.full(items, UNKNOWN), ("r",))
    x = relative_differences(empty, length[:, None])
    choice = np.where(rng.random(items) < expit(2 * x[:, 0] / np.sqrt((x**2).mean())), FIRST, SECOND)
    choices = OutputChoices(first, first + 1, first * 0, choice, empty.shown_first, ("r",))
    plain = style_controlled(choices, outputs, np.zeros((items, 0)), ())
    controlled = style_controlled(choices, outputs, x, ("length",))
    assert plain.strengths[0].interval[0] > 0.3
    assert [one.rank for one in plain.strengths] == [1, 2]
    assert controlled.strengths[0].interval[0] < 0 < controlled.strengths[0].interval[1]
    assert [one.rank for one in controlled.strengths] == [1, 1]
    assert controlled.effects[0].interval[0] > 1


def test_what_has_no_finite_fit_is_said(outputs_of, chosen):
    outputs = outputs_of(2, 3)
    only_wins = chosen([(0, 1, "r", 0), (3, 4, "r", 3)])
    found = style_controlled(only_wins, outputs, np.zeros((2, 1)), ("length",))
    assert {one.reason for one in (*found.strengths, *found.effects)} == {NOT_FITTED}
    rows = [(0, 1, "r", 0), (3, 4, "r", 4), (0, 2, "r", 0), (1, 2, "r", 1)]
    found = style_controlled(chosen(rows), outputs, np.zeros((4, 1)), ("length",))
    assert [one.reason for one in found.strengths] == [None, None, OUTSIDE]
    assert found.effects[0].reason == CONSTANT
    telling = np.array([1.0, -1, 1, 1])[:, None]
    assert style_controlled(chosen(rows), outputs, telling, ("length",)).reason == NOT_FITTED
    with pytest.raises(ValueError, match="row per choice"):
        style_controlled(chosen(rows), outputs, np.zeros((3, 1)), ("length",))


def test_one_item_has_no_interval_and_unknown_lengths_are_left_out(outputs_of, chosen):
    outputs = outputs_of(1, 2)
    choices = chosen([(0, 1, "r", 0), (0, 1, "s", 1), (0, 1, "t", 0), (0, 1, "u", 0)])
    x = np.array([[0.0], [0], [0], [np.nan]])
    found = style_controlled(choices, outputs, x, ("length",))
    assert found.judgments == 3
    assert found.strengths[0].value == pytest.approx(np.log(2) / 2)
    assert (found.strengths[0].interval, found.strengths[0].rank) == (None, None)
