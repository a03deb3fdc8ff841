import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from agreement.arrays.pair_choices import FIRST, SECOND, TIE, UNKNOWN
from agreement.meta_evaluation.length_controlled import NEVER_MET, fit_logistic, length_controlled_win_rates
from agreement.meta_evaluation.output_answers import OutputChoices


def against_baseline(rng, outputs, theta, phi, psi=0.0, raters=2, ties=0.1):
    """Choices of system a, the baseline, against the others, drawn from the model; returns choices and true rates."""
    systems = len(outputs.systems)
    first = np.repeat(np.arange(outputs.items) * systems, systems - 1)
    second = first + np.tile(np.arange(1, systems), outputs.items)
    hard = rng.normal(0, 1, outputs.items)
    difference = outputs.length[second] - outputs.length[first]
    system = outputs.system[second]
    sd = np.array([1] + [difference[system == s].std() for s in range(1, systems)])
    base = np.asarray(theta)[system] + psi * hard[outputs.item[first]]
    chance = expit(base + phi * np.tanh(difference / sd[system]))
    rates = [expit(base[system == s]).mean() for s in range(1, systems)]
    first, second, chance = (np.tile(column, raters) for column in (first, second, chance))
    n = first.size
    choice = np.where(rng.random(n) < chance, SECOND, FIRST)
    choice = np.where(rng.random(n) < ties, np.where(rng.random(n) < 0.5, TIE, choice), choice)
    return OutputChoices(
        first, second, np.repeat(np.arange(raters), n // raters), choice, np.full(n, UNKNOWN), ("r", "s")[:raters]
    ), rates


def lengths(rng, items, systems, more=0.0):
    return (rng.normal(200, 40, (items, systems)) + more * np.arange(systems)).ravel()


def test_the_regression_maximises_the_penalised_likelihood():
    rng = np.random.default_rng(1)
    x, y = rng.normal(0, 1, (200, 3)), rng.choice([0, 0.5, 1], 200)

    def loss(beta):
        p = expit(x @ beta)
        return -(y * np.log(p) + (1 - y) * np.log(1 - p)).sum() + 0.005 * beta @ beta

    beta, hessian = fit_logistic(x, y)
    assert beta == pytest.approx(minimize(loss, np.zeros(3), tol=1e-12).x, abs=1e-5)
    assert np.linalg.eigvalsh(hessian).min() > 0
    one_way, _ = fit_logistic(np.ones((50, 1)), np.ones(50))
    assert 5 < one_way[0] < 20


def test_it_is_the_model_of_the_paper_fitted_by_a_general_optimiser(outputs_of):
    rng = np.random.default_rng(2)
    outputs = outputs_of(40, 3, lengths(rng, 40, 3, 20))
    choices, _ = against_baseline(rng, outputs, (0, 0.5, -0.3), 1.0, psi=1.0)
    item, system = outputs.item[choices.first], outputs.system[choices.second]
    y = np.array([0, 1, 0.5])[choices.choice]
    difference = outputs.length[choices.second] - outputs.length[choices.first]
    term = np.tanh(difference / np.array([1, difference[system == 1].std(), difference[system == 2].std()])[system])

    found = length_controlled_win_rates(choices, outputs, "a")
    for code, name in ((1, "b"), (2, "c")):
        own, other = system == code, system != code

        def of_the_other(all_of_it, other=other):
            beta, gamma = all_of_it[:2], all_of_it[2:]
            eta = beta[0] + beta[1] * term[other] + gamma[item[other]]
            return -(y[other] * eta - np.logaddexp(0, eta)).sum() + 0.005 * beta @ beta + 0.5 * gamma @ gamma

        gamma = minimize(of_the_other, np.zeros(42), tol=1e-10, options={"maxiter": 2000}).x[2:]
        gamma -= gamma.mean()

        def single(beta, own=own, gamma=gamma):
            eta = beta[0] + beta[1] * term[own] + beta[2] * gamma[item[own]]
            return -(y[own] * eta - np.logaddexp(0, eta)).sum() + 0.005 * beta @ beta

        beta = minimize(single, np.zeros(3), tol=1e-12).x
        assert found[name].controlled.value == pytest.approx(
            expit(beta[0] + beta[2] * gamma[item[own]]).mean(), abs=1e-4
        )
        assert found[name].length_effect.value == pytest.approx(beta[1], abs=1e-3)
        assert found[name].win_rate.value == pytest.approx(y[own].mean())
        assert found[name].difficulty


def test_intervals_cover_the_rates_at_equal_length(outputs_of):
    rng = np.random.default_rng(3)
    inside, raw, effects, drawn = 0, 0, 0, 250
    for _ in range(drawn):
        outputs = outputs_of(150, 2, lengths(rng, 150, 2, 40))
        choices, (rate,) = against_baseline(rng, outputs, (0, -0.3), 1.0)
        found = length_controlled_win_rates(choices, outputs, "a")["b"]
        inside += found.controlled.interval[0] <= rate <= found.controlled.interval[1]
        raw += found.win_rate.interval[0] <= rate <= found.win_rate.interval[1]
        effects += found.length_effect.interval[0] > 0
    # Ties that replace choices at random draw rates a little to 1/2.
    assert 0.90 <= inside / drawn <= 0.985
    assert raw / drawn < 0.5
    assert effects / drawn > 0.9


def test_a_system_that_wins_by_length_alone_is_no_better_at_equal_length(outputs_of):
    rng = np.random.default_rng(4)
    outputs = outputs_of(2000, 3, lengths(rng, 2000, 3, 30))
    choices, _ = against_baseline(rng, outputs, (0, 0, 0), 1.5, psi=0.5, ties=0)
    for found in length_controlled_win_rates(choices, outputs, "a").values():
        assert found.win_rate.interval[0] > 0.55
        assert found.controlled.value == pytest.approx(0.5, abs=0.03)
        assert found.controlled.interval[0] < 0.5 < found.controlled.interval[1]


@pytest.mark.parametrize("systems", [2, 3, 4])
def test_equal_systems_of_unequal_length_come_out_equal(outputs_of, systems):
    """`systems` counts the baseline: with two, there is no difficulty; with three, that of one other system."""
    rng = np.random.default_rng(systems)
    values, inside, effects, drawn = [], 0, [], 60
    for _ in range(drawn):
        outputs = outputs_of(200, systems, lengths(rng, 200, systems, 60))
        choices, _ = against_baseline(rng, outputs, (0,) * systems, 1.0, psi=1.0 * (systems > 2), raters=1, ties=0)
        found = length_controlled_win_rates(choices, outputs, "a")["b"]
        values.append(found.controlled.value)
        inside += found.controlled.interval[0] <= 0.5 <= found.controlled.interval[1]
        effects.append(found.length_effect.value)
    assert np.mean(values) == pytest.approx(0.5, abs=0.02)
    assert inside / drawn >= 0.9
    assert np.mean(effects) == pytest.approx(1.0, abs=0.25)


def test_a_system_has_no_difficulty_of_its_own_making(outputs_of):
    rng = np.random.default_rng(6)
    outputs = outputs_of(60, 3, lengths(rng, 60, 3, 20))
    choices, _ = against_baseline(rng, outputs, (0, 0.5, -0.3), 1.0, psi=1.0)
    own = outputs.system[choices.second] == 1
    alone = length_controlled_win_rates(choices.only(own), outputs, "a")
    assert (alone["b"].difficulty, alone["c"].difficulty) == (False, True)
    changed = OutputChoices(
        choices.first,
        choices.second,
        choices.rater,
        np.where(own, FIRST, choices.choice),
        choices.shown_first,
        choices.raters,
    )
    one, other = (length_controlled_win_rates(made, outputs, "a") for made in (choices, changed))
    assert one["b"].controlled.value != other["b"].controlled.value
    kept = choices.only(~own)
    others_only = length_controlled_win_rates(kept, outputs, "a")["c"]
    assert others_only.difficulty is False


def test_the_baseline_may_be_any_system(outputs_of):
    rng = np.random.default_rng(5)
    outputs = outputs_of(100, 2, lengths(rng, 100, 2, 10))
    choices, _ = against_baseline(rng, outputs, (0, 0.5), 1.0)
    one = length_controlled_win_rates(choices, outputs, "a")["b"]
    other = length_controlled_win_rates(choices, outputs, "b")["a"]
    assert one.controlled.value + other.controlled.value == pytest.approx(1)
    assert one.length_effect.value == pytest.approx(other.length_effect.value)


def test_undefined_figures_have_a_reason(outputs_of, chosen):
    outputs = outputs_of(1, 3)
    found = length_controlled_win_rates(chosen([(0, 1, "r", 1)]), outputs, "a")
    assert found["c"].controlled.reason == NEVER_MET
    assert 0.5 < found["b"].controlled.value < 1
    assert found["b"].controlled.interval is None
    assert found["b"].length_effect.value is None
    with pytest.raises(ValueError, match="called x"):
        length_controlled_win_rates(chosen([]), outputs, "x")
