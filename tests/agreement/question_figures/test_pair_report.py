import json
from dataclasses import replace

import numpy as np
import pytest

from agreement.intervals.bootstrap import item_weights
from agreement.question_figures.by_category import by_category
from agreement.question_figures.pair_report import describe_choices, describe_rankings
from agreement.reliability.alpha import NO_VARIATION, NOTHING_PAIRABLE
from agreement.reliability.kappa import TOO_MANY_RATERS
from agreement.systems.pair_figures import LENGTH_UNKNOWN, ORDER_UNKNOWN

LENGTHS = {("i", "a"): 10, ("i", "b"): 20, ("i", "c"): 20, ("j", "a"): 5, ("j", "b"): 4}
CHOICES = [
    ("i", "a", "b", "r", "a"),
    ("i", "b", "a", "s", "a"),
    ("i", "a", "b", "t", None),
    ("i", "b", "c", "r", "c"),
    ("j", "a", "b", "r", "b"),
    ("j", "a", "b", "s", "b"),
    ("j", "b", "a", "r", "a"),
]


def test_choices_worked_by_hand(choices_of):
    report = describe_choices(choices_of(CHOICES, LENGTHS), replicates=0)
    counts = ("ratings", "raters", "items", "pairs", "pairs_with_two_or_more", "repeated_by_same_rater")
    assert [report[name] for name in counts] == [7, 3, 2, 3, 2, 1]
    # The last answer of r on j counts: a against s's b. Agreeing pairs: 1 of 3 on i, 0 of 1 on j.
    assert report["percent_agreement"] == pytest.approx(1 / 4)
    # r and s agree with one tied mode each, the tie with none.
    assert report["leave_one_out"] == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)
    # Values 1, 1, {1, 2} and 2, 1: n_1 = n_2 = (3 + 1) / 2, n_tie = 1. Nominal D_o = (4 / 2 + 2) / 5,
    # D_e = (25 - 4 - 4 - 1) / 20.
    assert report["alpha_nominal"] == pytest.approx(1 - (4 / 5) / (16 / 20))
    # MASI of a tie against a choice is 1 - 1/2 * 2/3 = 2/3: D_o = (4 * 2/3 / 2 + 2) / 5, D_e over 4, 2 and 2 pairs.
    assert report["alpha_masi"] == pytest.approx(1 - ((4 / 3 + 2) / 5) / ((2 * 4 + 4 * 2 * 2 / 3) / 20))
    assert report["kappa_raters"] == [["r", "s"], ["r", "t"], ["s", "t"]]
    # a: won 2, tied 1 of 3 on i; won 1 of 3 on j.
    assert report["system_win_or_tie_rate"] == pytest.approx({"a": 4 / 6, "b": 3 / 7, "c": 1})
    assert report["win_tie_loss"]["a"]["b"] == {"win": 3, "tie": 1, "loss": 2}
    assert report["win_tie_loss"]["c"] == {"b": {"win": 1, "tie": 0, "loss": 0}}
    # Shown first and chosen: r on i's a and b only; everyone else chose the second, but for one tie.
    assert report["position_bias"] == pytest.approx((1 - 5) / 7)
    # Unequal lengths: all but b against c. Longer chosen: r's last on j; shorter: r and s on i, b twice on j.
    assert report["length_bias_rate"] == pytest.approx((1 - 4) / 6)
    assert report["bradley_terry"]["c"] is None
    assert report["bradley_terry"]["a"] - report["bradley_terry"]["b"] == pytest.approx(np.log(3 / 2))


RANKINGS = [
    ("i", "r", {"a": 1, "b": 2, "c": 3}),
    ("i", "s", {"c": 4, "a": 1, "b": 3}),
    ("i", "t", {"a": 1, "b": 1}),
    ("j", "r", {"a": 2, "b": 1}),
    ("j", "s", {"a": 2, "b": 1}),
    ("j", "r", {"a": 1, "b": 2}),
]


def test_rankings_worked_by_hand(rankings_of):
    report = describe_rankings(rankings_of(RANKINGS), replicates=0)
    counts = ("ratings", "raters", "items", "pairs", "pairs_with_two_or_more", "repeated_by_same_rater")
    assert [report[name] for name in counts] == [6, 3, 2, 4, 4, 1]
    # a: 3, 3, 2 and 1, 1, 2; b: 2, 2, 2 and 2, 2, 1; c: 1, 1.
    assert report["system_score"] == pytest.approx({"a": 2, "b": 11 / 6, "c": 1})
    # r and s on i agree in no whole ranking but share (a, 1): 1 - 1/5 * 1/3; r (the last) and s on j share nothing.
    assert report["rankings_shared"] == 2
    sets = [{"a1", "b2", "c3"}, {"a1", "b3", "c4"}, {"a1", "b2"}, {"a2", "b1"}]
    distances = [1 - 1 / 5 * 1 / 3, 1 - 2 / 3 * 2 / 3, 1, 1 - 1 / 4 * 1 / 3, 1, 1]  # of the six pairs in order
    assert len(sets) == 4
    expected = 2 * sum(distances) / 12
    assert report["alpha_masi_rankings"] == pytest.approx(1 - (2 * (distances[0] + distances[5]) / 4) / expected)
    # Outputs with ranks by r and s: 1, 1; 2, 3; 3, 4 on i, 1, 2; 2, 1 on j.
    values = np.array([1, 1, 2, 3, 3, 4, 1, 2, 2, 1])
    assert report["alpha_interval_ranks"] == pytest.approx(1 - (2 * 4 / 10) / (2 * values.var() * 10 / 9))
    midranks = np.array([2.5, 2.5, 6, 8.5, 8.5, 10, 2.5, 6, 6, 2.5])
    assert report["alpha_ordinal_ranks"] == pytest.approx(
        1 - (2 * (3.5**2 * 2 + 2.5**2 + 1.5**2) / 10) / (2 * midranks.var() * 10 / 9)
    )
    assert report["score_by_position"][2] == {"position": 2, "n": 2, "score": pytest.approx(3 / 2)}


OF_CHANCE = ("alpha_nominal", "alpha_masi", "fleiss_kappa", "gwet_ac1")


def test_many_raters_have_no_kappas_of_pairs(choices_of):
    report = describe_choices(choices_of([("i", "a", "b", rater, "a") for rater in "rstuv"]), replicates=0)
    assert report["cohen_kappa_pairs"] is report["kappa_raters"] is None
    assert report["undefined"]["cohen_kappa_pairs"] == TOO_MANY_RATERS


def test_raters_who_all_prefer_one_system_agree_fully(choices_of):
    rows = [(item, "a", "b", rater, "a") for item in "ij" for rater in "rs"]
    report = describe_choices(choices_of(rows), replicates=0)
    assert [report[name] for name in (*OF_CHANCE, "percent_agreement")] == [1] * 5
    assert report["cohen_kappa_pairs"] == report["kappa_linear_pairs"] == [1]


def test_only_ties_leave_agreement_beyond_chance_undefined(choices_of):
    report = describe_choices(choices_of([("i", "a", "b", rater, None) for rater in "rs"]), replicates=0)
    assert report["undefined"]["alpha_nominal"] == report["undefined"]["alpha_masi"] == NO_VARIATION
    assert report["fleiss_kappa"] is report["cohen_kappa_pairs"][0] is None


def test_pairs_told_apart_by_name_have_the_figures_of_older_tables(choices_of):
    choices = replace(choices_of(CHOICES, LENGTHS), by_name=True)
    report = describe_choices(choices, replicates=0)
    # As in `test_choices_worked_by_hand`, but n_1 = 3 and n_2 = 1.
    assert report["alpha_nominal"] == pytest.approx(1 - (4 / 5) / (14 / 20))
    assert report["alpha_masi"] == pytest.approx(1 - ((4 / 3 + 2) / 5) / ((2 * 3 + 2 * 3 * 2 / 3 + 2 * 2 / 3) / 20))


def test_no_shared_pairs_and_no_known_order_leave_figures_undefined(rankings_of, choices_of):
    choices = choices_of([("i", "a", "b", "r", "a"), ("j", "a", "b", "s", "b")])
    unknown = type(choices)(**{**vars(choices), "shown_first": np.array([-1, -1])})
    report = describe_choices(unknown, replicates=10)
    for name in ("percent_agreement", "leave_one_out", "alpha_nominal", "alpha_masi", "fleiss_kappa", "gwet_ac1"):
        assert report[name] is None
        assert report["undefined"][name]
    assert report["undefined"]["position_bias"] == ORDER_UNKNOWN
    assert report["undefined"]["length_bias_rate"] == LENGTH_UNKNOWN
    ranked = describe_rankings(rankings_of([("i", "r", {"a": 1, "b": 2})]), replicates=10)
    assert ranked["rankings_shared"] == 0
    for name in ("alpha_masi_rankings", "alpha_ordinal_ranks", "alpha_interval_ranks"):
        assert ranked["undefined"][name] == NOTHING_PAIRABLE


def test_a_report_without_judgments_has_reasons(rankings_of, choices_of):
    for report in (describe_choices(choices_of([])), describe_rankings(rankings_of([]))):
        assert (report["ratings"], report["raters"], report["items"], report["pairs"]) == (0, 0, 0, 0)
        assert (report["win_tie_loss"], report["comparisons"]) == ({}, [])
        assert {"alpha_masi", "position_bias", "bradley_terry_tie"} <= set(report["undefined"])
        json.dumps(report, allow_nan=False)


def test_a_ranking_of_one_output_has_a_score_and_no_pair(rankings_of):
    report = describe_rankings(rankings_of([("i", "r", {"a": 1}), ("i", "s", {"a": 1})]), replicates=0)
    assert (report["pairs"], report["rankings_shared"], report["raters"], report["items"]) == (0, 1, 2, 1)
    assert report["system_score"] == {"a": 1}


def random_rankings(seed, items=8):
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        for rater in rng.permutation(4)[: rng.integers(1, 5)]:
            chosen = sorted(rng.permutation(4)[: rng.integers(3, 5)])
            rows.append((f"i{item}", f"r{rater}", {"abcd"[s]: int(rng.integers(1, 5)) for s in chosen}))
    return [*rows, (rows[0][0], rows[0][1], {"a": 1, "b": 3, "c": 2})]


def random_choices(seed, items=8):
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        for rater in rng.permutation(4)[: rng.integers(1, 5)]:
            a, b = ("abc"[s] for s in rng.permutation(3)[:2])
            rows.append((f"i{item}", a, b, f"r{rater}", [a, b, None][rng.integers(3)]))
    return [*rows, rows[0]]


def leaves(value, path=()):
    if isinstance(value, dict):
        for name, part in value.items():
            yield from leaves(part, (*path, name))
    elif isinstance(value, list) and path[-1].removesuffix("_ci").endswith("_pairs"):
        for number, part in enumerate(value):
            yield (*path, number), part
    else:
        yield path, value


def beside(path):
    return (*path[:-2], f"{path[-2]}_ci", path[-1]) if len(path) > 1 else (f"{path[0]}_ci",)


BOUNDED = {"percent_agreement", "leave_one_out", "system_win_or_tie_rate", "position_bias", "length_bias_rate"}
"""Means between two ends, whose intervals are no percentiles: tests/agreement/intervals/test_bounded_intervals.py."""


@pytest.mark.parametrize("kind", ["rank", "choice"])
def test_intervals_are_those_of_reports_on_resampled_items(rankings_of, choices_of, kind):
    rows = random_rankings(3) if kind == "rank" else random_choices(8)
    build, describe = {"rank": (rankings_of, describe_rankings), "choice": (choices_of, describe_choices)}[kind]
    replicates, seed = 20, 2
    report = describe(build(rows), replicates=replicates, seed=seed)
    flat = dict(leaves(report))
    with_interval = [path for path in flat if beside(path) in flat]
    drawn = {path: [] for path in with_interval}
    for weights in np.concatenate(list(item_weights(8, replicates, seed))):
        again = [(f"{r[0]}/{n}", *r[1:]) for r in rows for n in range(int(weights[int(r[0][1:])]))]
        figures = dict(leaves(describe(build(again), replicates=0)))
        kappas_shift = len({r[1] for r in again}) < 4 if kind == "rank" else len({r[3] for r in again}) < 4
        for path in with_interval:
            if path[0].endswith("_pairs") and kappas_shift:
                pytest.fail("choose rows in which every draw has all raters")
            drawn[path].append(figures.get(path))
    names = {path[0] for path in with_interval}
    assert {"alpha_nominal", "alpha_masi", "cohen_kappa_pairs", "fleiss_kappa", "gwet_ac1", "position_bias"} <= names
    assert {"system_score" if kind == "rank" else "system_win_or_tie_rate", "bradley_terry"} <= names
    checked = set()
    for path in with_interval:
        if path[0].startswith("bradley_terry"):
            continue  # a smaller group of systems may have a finite fit when the whole has none
        if path[0] in BOUNDED:
            checked.add(path[0])
            continue
        defined = [value for value in drawn[path] if value is not None]
        if flat[beside(path)] is not None:
            checked.add(path[0])
            assert flat[beside(path)] == pytest.approx(np.percentile(defined, [2.5, 97.5]).tolist()), path
        assert report["bootstrap"]["left_out"].get(".".join(map(str, path)), 0) == replicates - len(defined), path
    assert checked >= names - {"bradley_terry", "bradley_terry_tie", "length_bias_rate", "leave_one_out"}


@pytest.mark.parametrize("kind", ["rank", "choice"])
def test_the_report_is_json_of_plain_values_and_the_seed_decides_it(rankings_of, choices_of, kind):
    data = rankings_of(random_rankings(4)) if kind == "rank" else choices_of(random_choices(4))
    describe = describe_rankings if kind == "rank" else describe_choices
    reports = [describe(data, replicates=30, seed=seed) for seed in (1, 1, 2)]
    assert reports[0] == reports[1] != reports[2]
    assert json.loads(json.dumps(reports[0], allow_nan=False)) == reports[0]


def test_the_order_of_items_and_the_names_of_raters_change_no_figure(rankings_of):
    rows = random_rankings(5)[:-1]
    renamed = [(item, f"z{rater}", given) for item, rater, given in rows][::-1]
    a, b = (dict(leaves(describe_rankings(rankings_of(given), replicates=0))) for given in (rows, renamed))
    for path, value in a.items():
        if isinstance(value, float):
            assert b[path] == pytest.approx(value), path


def test_a_question_without_ties_has_two_categories(choices_of):
    winners = [("i", "r", "a"), ("i", "s", "b"), ("j", "r", "a"), ("j", "s", "a")]
    choices = choices_of([(item, "a", "b", rater, winner) for item, rater, winner in winners])
    with_ties, without = (describe_choices(choices, ties=ties, replicates=0)["gwet_ac1"] for ties in (True, False))
    # p_a = 1/2; pi = 1/2, 1/2, so that sum pi (1 - pi) = 1/2, over q - 1.
    assert without == pytest.approx(0)
    assert with_ties == pytest.approx((1 / 2 - 1 / 4) / (1 - 1 / 4))


def test_any_report_can_be_made_by_category(rankings_of, choices_of, ratings_of):
    rankings, choices = rankings_of(RANKINGS), choices_of(CHOICES)
    parts = by_category(rankings, [["news", "long"], ["news"]], lambda data: describe_rankings(data, replicates=0))
    assert parts["news"] == describe_rankings(rankings, replicates=0)
    assert (parts["long"]["ratings"], parts["long"]["items"]) == (3, 1)
    parts = by_category(choices, [["x"], []], lambda data: describe_choices(data, replicates=0)["ratings"])
    assert parts == {"x": 4}
    ratings = ratings_of({("i", "a"): {"r": 1}, ("j", "a"): {"r": 2, "s": 3}})
    assert by_category(ratings, [["x"], ["y"]], lambda data: data.value.tolist()) == {"x": [1], "y": [2, 3]}
