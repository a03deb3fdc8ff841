from dataclasses import replace

import choix
import numpy as np
import pytest
from scipy.optimize import minimize

from agreement.intervals.bootstrap import item_weights
from agreement.question_figures.pair_report import describe_choices
from agreement.systems import bradley_terry
from agreement.systems.bradley_terry import NOT_FITTED, OUTSIDE, RARE, davidson_sums

# Agresti 2002, Categorical Data Analysis, 10.6: 1987 games of seven baseball teams, wins of rows over columns.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = [
    [0, 7, 9, 7, 7, 9, 11],
    [6, 0, 7, 5, 11, 9, 9],
    [4, 6, 0, 7, 7, 8, 12],
    [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12],
    [4, 4, 5, 6, 6, 0, 6],
    [2, 4, 1, 3, 1, 7, 0],
]
AGRESTI = (1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0)


def rows_of(wins, ties=(), names="abcdefg"):
    rows = []
    for i, row in enumerate(wins):
        for j, n in enumerate(row):
            rows += [(len(rows) + k, names[i], names[j], "r", names[i]) for k in range(n)]
    for i, j, n in ties:
        rows += [(len(rows) + k, names[i], names[j], "r", None) for k in range(n)]
    return rows


def fitted(choices):
    items = choices.item.size
    sums = davidson_sums(choices, items)
    return {key[-1]: value for key, value in zip(sums.keys, sums.at(np.ones((1, items)))[0], strict=True)}


def test_the_published_example_without_ties(choices_of):
    figures = fitted(choices_of(rows_of(WINS, names=TEAMS)))
    assert figures["bradley_terry_tie"] == 0
    assert [figures[team] - figures["Baltimore"] for team in TEAMS] == pytest.approx(AGRESTI, abs=5e-3)


def test_without_ties_it_equals_an_independent_implementation(choices_of):
    games = [(i, j) for i, row in enumerate(WINS) for j, n in enumerate(row) for _ in range(n)]
    figures = fitted(choices_of(rows_of(WINS)))
    assert [figures[name] for name in "abcdefg"] == pytest.approx(choix.ilsr_pairwise(7, games, alpha=0), abs=1e-6)


def test_two_systems_have_a_solution_in_closed_form(choices_of):
    # P(win) / P(loss) = exp(theta_a - theta_b) = 8 / 2, and nu = ties / sqrt(wins * losses).
    figures = fitted(choices_of(rows_of([[0, 8], [2, 0]], [(0, 1, 6)])))
    assert figures["a"] - figures["b"] == pytest.approx(np.log(4))
    assert figures["a"] == pytest.approx(-figures["b"])
    assert figures["bradley_terry_tie"] == pytest.approx(6 / 4)


def test_with_ties_it_maximises_the_likelihood(choices_of):
    wins, ties = [[0, 5, 2, 9], [3, 0, 4, 1], [2, 1, 0, 3], [1, 2, 6, 0]], [(0, 1, 2), (1, 2, 4), (2, 3, 1), (0, 3, 3)]
    figures = fitted(choices_of(rows_of(wins, ties)))

    def loss(x):
        theta, log_nu = np.append(x[:3], -x[:3].sum()), x[3]
        total = 0.0
        for i in range(4):
            for j in range(i):
                scores = np.array([theta[i], theta[j], log_nu + (theta[i] + theta[j]) / 2])
                tied = sum(n for a, b, n in ties if {a, b} == {i, j})
                total += np.array([wins[i][j], wins[j][i], tied]) @ (np.logaddexp.reduce(scores) - scores)
        return total

    best = minimize(loss, np.zeros(4), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 9000}).x
    assert [figures[name] for name in "abc"] == pytest.approx(best[:3].tolist(), abs=1e-5)
    assert np.log(figures["bradley_terry_tie"]) == pytest.approx(best[3], abs=1e-5)


def test_systems_that_only_win_are_left_out_by_name(choices_of):
    rows = rows_of([[0, 3, 2], [2, 0, 0], [0, 0, 0]])
    sums = davidson_sums(choices_of(rows), len(rows))
    figures = fitted(choices_of(rows))
    assert figures["a"] - figures["b"] == pytest.approx(np.log(1.5))
    assert np.isnan(figures["c"])
    assert sums.reason(("bradley_terry", "c")) == OUTSIDE


def test_systems_that_never_lose_to_one_another_have_no_model(choices_of):
    choices = choices_of([("i", "a", "b", "r", "a")])
    sums = davidson_sums(choices, 1)
    assert all(np.isnan(value) for value in fitted(choices).values())
    assert {sums.reason(key) for key in sums.keys} == {NOT_FITTED}


def rare_and_common(rare_rows):
    """Three systems that meet on forty items, and `rare`, which is in the games of `rare_rows` alone."""
    rows = []
    for item in range(40):
        for place, (one, other) in enumerate((("a", "b"), ("b", "c"), ("a", "c"))):
            rows.append((item, one, other, "r", one if (item + place) % 3 else other))
    return rows + [(40 + number, one, other, "r", winner) for number, (one, other, winner) in enumerate(rare_rows)]


RARE_GAMES = [("a", "rare", "a"), ("b", "rare", "rare")]


def test_a_rare_system_alone_has_no_interval(choices_of):
    report = describe_choices(choices_of(rare_and_common(RARE_GAMES)), replicates=200)
    assert all(report["bradley_terry"][name] is not None for name in ("a", "b", "c", "rare"))
    assert [name for name, ends in report["bradley_terry_ci"].items() if ends is None] == ["rare"]
    assert report["undefined"]["bradley_terry_ci.rare"] == RARE
    assert "bradley_terry_ci.a" not in report["undefined"]


def test_with_a_rare_system_the_figures_of_all_data_are_those_of_the_whole_fit(choices_of):
    choices = choices_of(rare_and_common(RARE_GAMES))
    items = int(choices.item.max()) + 1
    sums = davidson_sums(choices, items)
    assert sums.rare == ("rare",)
    found = sums.at(np.ones((1, items)))
    assert found == pytest.approx(replace(sums, core=None).at(np.ones((1, items))), abs=1e-9)


def test_the_intervals_of_the_others_are_as_wide_as_without_the_rare_system(choices_of):
    with_rare = describe_choices(choices_of(rare_and_common(RARE_GAMES)), replicates=400)
    without = describe_choices(choices_of(rare_and_common([])), replicates=400)
    for name in "abc":
        wide, plain = with_rare["bradley_terry_ci"][name], without["bradley_terry_ci"][name]
        assert wide[1] - wide[0] == pytest.approx(plain[1] - plain[0], rel=0.15)


def test_systems_that_are_all_rare_are_compared_without_intervals(choices_of):
    report = describe_choices(choices_of([(0, "a", "b", "r", "a"), (1, "a", "b", "r", "b")]), replicates=100)
    assert report["bradley_terry"]["a"] == pytest.approx(0)
    sums = davidson_sums(choices_of([(0, "a", "b", "r", "a"), (1, "a", "b", "r", "b")]), 2)
    assert sums.rare == ()


def test_systems_that_are_cut_off_in_most_resamples_are_all_rare(choices_of):
    chains = [[("a", f"x{n}", "a"), (f"x{n}", f"y{n}", f"x{n}"), (f"y{n}", "b", f"y{n}")] for n in range(4)]
    games = [game for chain in chains for game in chain]
    sums = davidson_sums(choices_of(rare_and_common(games)), 52)
    assert sums.rare == tuple(f"{letter}{n}" for letter in "xy" for n in range(4))
    assert sums.core.names == ("a", "b", "c")


def test_a_system_that_only_another_rare_one_links_is_rare_too(choices_of):
    # "next" meets the others through "rare" alone, and is itself on ten items.
    games = [("a", "rare", "a"), ("b", "rare", "rare")]
    games += [("next", "rare", "next" if n % 2 else "rare") for n in range(10)]
    assert davidson_sums(choices_of(rare_and_common(games)), 52).rare == ("next", "rare")


def test_figures_do_not_depend_on_how_many_draws_are_fitted_at_once(choices_of, monkeypatch):
    choices, weights = choices_of(rare_and_common(RARE_GAMES)), next(item_weights(42, 50, 3))
    together = davidson_sums(choices, 42).at(weights)
    monkeypatch.setattr(bradley_terry, "AT_ONCE", 1)
    assert davidson_sums(choices, 42).at(weights) == pytest.approx(together, abs=1e-9, nan_ok=True)


def test_two_hundred_systems_have_strengths_and_intervals(choices_of):
    rng = np.random.default_rng(5)
    names, strength = [f"s{n:03}" for n in range(200)], np.linspace(-1, 1, 200)
    rows = []
    for item in range(600):
        for a, b in rng.choice(200, (10, 2)):
            if a != b:
                wins = rng.random() < 1 / (1 + np.exp(strength[b] - strength[a]))
                rows.append((item, names[a], names[b], "r", names[a] if wins else names[b]))
    report = describe_choices(choices_of(rows), replicates=50)
    found = np.array([report["bradley_terry"][name] for name in names])
    assert np.corrcoef(found, strength)[0, 1] > 0.8
    assert all(low < report["bradley_terry"][name] < high for name, (low, high) in report["bradley_terry_ci"].items())
