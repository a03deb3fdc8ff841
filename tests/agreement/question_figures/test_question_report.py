import json

import numpy as np
import pytest

from agreement.arrays.large_figures import TOO_LARGE
from agreement.arrays.rating_arrays import collect
from agreement.intervals.bootstrap import item_weights
from agreement.question_figures.question_report import NO_MEAN, NO_OUTPUTS, NO_RATINGS, NO_SCALE, describe
from agreement.reliability.alpha import NO_VARIATION, NOTHING_PAIRABLE
from tests.fewer import first_cases

KAPPAS = {"nominal": 6, "interval": 18}
"""Kappas of pairs of four raters."""
SMALL = {
    ("i", "a"): {"r": 1, "s": 1, "t": 2},
    ("i", "b"): {"r": 4, "s": 5, "t": 5},
    ("j", "a"): {"r": 3, "s": 3},
    ("j", "b"): {"r": 5},
}


def test_a_small_case_worked_by_hand(ratings_of):
    report = describe(ratings_of(SMALL), level="interval", scale=(1, 5), replicates=0)
    counts = ("ratings", "repeats", "raters", "items", "units", "units_with_two_or_more", "off_scale")
    assert [report[name] for name in counts] == [9, 0, 3, 2, 4, 3, 0]
    # Agreeing pairs: 1 of 3, 1 of 3, 1 of 1. Leave-one-out: (1/2 + 1/2 + 0) / 3 in both units rated three times.
    assert report["percent_agreement"] == pytest.approx(3 / 7)
    assert report["leave_one_out"] == pytest.approx(1 / 3)
    # n = 8: n_1 = 2, n_2 = 1, n_3 = 2, n_4 = 1, n_5 = 2. D_o: nominal (2 + 2 + 0) / 8, interval the same, all
    # distances being 1. D_e: nominal (64 - 14) / 56, interval 2 n^2 times the variance over 56.
    assert report["alpha_nominal"] == pytest.approx(1 - (4 / 8) / (50 / 56))
    values = np.array([1, 1, 2, 4, 5, 5, 3, 3])
    assert report["alpha_interval"] == pytest.approx(1 - (4 / 8) / (2 * 8 * 8 * values.var() / 56))
    # Midranks 1, 2.5, 4, 5.5, 7; units {1, 1, 2.5} and {5.5, 7, 7}: D_o = 2 * 2.25 * 2 / 2 * 2 / 8.
    midranks = np.array([1, 1, 2.5, 5.5, 7, 7, 4, 4])
    assert report["alpha_ordinal"] == pytest.approx(1 - (2 * 2 * 2.25 / 8) / (2 * 8 * 8 * midranks.var() / 56))
    # Item i: D_o = 4 / 6, the variance of 1, 1, 2, 4, 5, 5 is 3; item j does not vary.
    local_i = 1 - (4 / 6) / (2 * 36 * 3 / 30)
    local = report["local_alpha"]
    assert (local["level"], local["n"], local["share_at_least_half"]) == ("interval", 2, 1.0)
    assert local["mean"] == pytest.approx((local_i + 1) / 2)
    assert local["se"] == pytest.approx((1 - local_i) / 2)
    assert report["system_mean"] == pytest.approx({"a": (4 / 3 + 3) / 2, "b": (14 / 3 + 5) / 2})
    assert report["aggregates"]["mean"]["a"]["score"] == pytest.approx((100 / 12 + 50) / 2)
    assert report["aggregates"]["mean"]["a"]["rank"] == 2
    assert report["aggregates"]["majority"]["b"]["score"] == 100
    assert report["aggregates"]["none"]["b"]["n"] == 4


def test_a_nominal_question_has_nominal_figures_only(ratings_of):
    report = describe(ratings_of({("i", "a"): {"r": 0, "s": 1}}), level="nominal", scale=(0, 1))
    assert report["local_alpha"]["level"] == "nominal"
    assert [name for name in report if name.startswith("alpha")] == ["alpha_nominal", "alpha_nominal_ci"]


def test_a_repeat_counts_once_in_agreement_and_each_time_in_means(ratings_of):
    rows = [("i", "a", "r", 1), ("i", "a", "s", 2), ("j", "a", "r", 5), ("j", "a", "s", 5), ("i", "a", "r", 2)]
    report = describe(ratings_of(rows), level="interval", scale=(1, 5))
    assert (report["ratings"], report["repeats"], report["raters"]) == (5, 1, 2)
    assert report["percent_agreement"] == report["alpha_nominal"] == report["local_alpha"]["mean"] == 1
    assert report["system_mean"]["a"] == pytest.approx((5 / 3 + 5) / 2)
    assert report["aggregates"]["none"]["a"]["n"] == 5


def test_values_off_the_scale_are_counted_and_kept(ratings_of):
    report = describe(ratings_of({("i", "a"): {"r": 0.5, "s": 5.5}}), level="interval", scale=(1, 5))
    assert report["off_scale"] == 2
    assert report["system_mean"]["a"] == 3


def test_identical_values_leave_alpha_undefined(ratings_of):
    same = {(item, "a"): {"r": 2, "s": 2, "t": 2} for item in "ij"}
    report = describe(ratings_of(same), level="interval", scale=(1, 5))
    for level in ("nominal", "ordinal", "interval"):
        assert report[f"alpha_{level}"] is None
        assert report[f"alpha_{level}_ci"] is None
        assert report["undefined"][f"alpha_{level}"] == NO_VARIATION
    assert report["percent_agreement"] == report["leave_one_out"] == report["local_alpha"]["mean"] == 1


@pytest.mark.parametrize(
    "given", [{("i", "a"): {"r": 1}, ("j", "a"): {"s": 2}}, {("i", "a"): {"r": 1}, ("j", "a"): {"r": 2}}]
)
def test_no_shared_units_leave_agreement_undefined(ratings_of, given):
    report = describe(ratings_of(given), level="nominal", scale=(1, 5))
    assert report["percent_agreement"] is report["leave_one_out"] is report["alpha_nominal"] is None
    assert report["undefined"]["alpha_nominal"] == NOTHING_PAIRABLE
    assert report["local_alpha"]["mean"] is report["local_alpha"]["se"] is None
    assert report["local_alpha"]["n"] == 0
    assert {"percent_agreement", "leave_one_out", "local_alpha.mean", "local_alpha.se"} <= set(report["undefined"])
    assert report["system_mean"] == {"a": 1.5}


@pytest.mark.parametrize("level", ["nominal", "interval"])
def test_a_report_without_ratings_has_reasons(ratings_of, level):
    report = describe(ratings_of({}), level=level, scale=(1, 5))
    assert (report["ratings"], report["raters"], report["items"]) == (0, 0, 0)
    for name in ("percent_agreement", "leave_one_out", "alpha_nominal", "system_mean", "aggregates"):
        assert report[name] is None
        assert report["undefined"][name]
    assert report["undefined"]["system_mean"] == NO_RATINGS


def test_one_item_has_figures_and_no_intervals(ratings_of):
    report = describe(ratings_of({("i", "a"): {"r": 1, "s": 2}}), level="nominal", scale=(1, 5))
    assert report["alpha_nominal"] == 0
    assert report["alpha_nominal_ci"] is None
    assert "two items" in report["undefined"]["alpha_nominal_ci"]
    assert "two items" in report["undefined"]["system_mean_ci.a"]
    assert report["bootstrap"]["replicates"] == 0


def test_figures_of_systems_need_outputs_a_scale_and_numbers(ratings_of):
    task = describe(ratings_of({("i", None): {"r": 1, "s": 1}}), level="nominal", scale=(0, 1))
    assert task["system_mean"] is task["aggregates"] is None
    assert task["undefined"]["system_mean"] == NO_OUTPUTS
    plain = describe(ratings_of({("i", "a"): {"r": 1, "s": 1}}), level="interval", scale=None)
    assert (plain["system_mean"], plain["aggregates"], plain["off_scale"]) == ({"a": 1}, None, None)
    assert plain["undefined"]["aggregates"] == NO_SCALE
    named = describe(ratings_of({("i", "a"): {"r": 1, "s": 0}}, ["x", "y"]), level="nominal", scale=None)
    assert named["system_mean"] is None
    assert named["undefined"]["system_mean"] == NO_MEAN


def test_a_system_without_a_rating_is_undefined_by_name(ratings_of):
    given = ratings_of([("i", "a", "r", 1), ("i", "b", "r", 2), ("j", "a", "s", 2)])
    keep = given.unit != 1
    without = type(given)(
        given.unit[keep], given.rater[keep], given.value[keep], given.item, given.system, given.raters, given.systems
    )
    report = describe(without, level="interval", scale=(1, 5))
    assert report["system_mean"] == {"a": 1.5, "b": None}
    assert report["undefined"]["system_mean.b"] == "no output of the system was rated"
    assert report["aggregates"]["mean"]["b"]["score"] is None


def test_a_figure_too_large_for_a_float_is_undefined_and_says_so(ratings_of):
    huge = {(item, "a"): {"r": 1.5e308, "s": 1e308, "t": 1} for item in "ij"}
    report = describe(ratings_of(huge), level="interval", scale=(1, 5), replicates=10)
    assert report["system_mean"]["a"] is report["aggregates"]["mean"]["a"]["score_se"] is None
    assert report["undefined"]["system_mean.a"] == TOO_LARGE
    assert report["undefined"]["aggregates.mean.a.score_se"] == TOO_LARGE
    assert report["off_scale"] == 4
    assert report["alpha_interval"] == pytest.approx(-0.25)
    json.dumps(report, allow_nan=False)


def test_an_unknown_level_is_refused(ratings_of):
    with pytest.raises(ValueError, match="ordinal"):
        describe(ratings_of(SMALL), level="ordinal", scale=None)


def random_rows(seed, values):
    """Ratings with gaps, repeats and, in some items, no variation."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(7):
        for output in "abc"[: rng.integers(1, 4)]:
            for rater in rng.permutation(4)[: rng.integers(1, 5)]:
                value = 3.0 if item == 0 else rng.choice(values)
                rows.append((f"i{item}", output, f"r{rater}", value))
    return rows + [(item, output, rater, values[0]) for item, output, rater, _ in rows[5:8]]


def leaves(report, path=()):
    for name, value in report.items():
        if not path and name.endswith(("_pairs", "_pairs_ci")):
            value = dict(enumerate(value or ()))
        if name == "comparisons":
            rows = [dict(row) for row in value or ()]
            value = {".".join(row.pop("systems")): row for row in rows}
        if isinstance(value, dict):
            yield from leaves(value, (*path, name))
        else:
            yield (*path, name), value


def beside(path):
    """The dotted name of a figure's interval."""
    if path[0] == "system_mean" or path[0].endswith("_pairs"):
        return (f"{path[0]}_ci", path[1])
    return (*path[:-1], f"{path[-1]}_ci")


@pytest.mark.parametrize("values", first_cases([[1.0, 2, 3, 4, 5], list(np.random.default_rng(9).normal(3, 2, 400))]))
@pytest.mark.parametrize("level", first_cases(["interval", "nominal"]))
def test_intervals_are_those_of_reports_on_resampled_items(ratings_of, values, level):
    rows = random_rows(2, values)
    replicates, seed = 40, 11
    report = describe(ratings_of(rows), level=level, scale=(1, 5), replicates=replicates, seed=seed)
    drawn = {}
    for weights in np.concatenate(list(item_weights(7, replicates, seed))):
        again = [(f"{r[0]}/{n}", *r[1:]) for r in rows for n in range(int(weights[int(r[0][1:])]))]
        for path, value in leaves(describe(ratings_of(again), level=level, scale=(1, 5), replicates=0)):
            drawn.setdefault(path, []).append(value)
    flat = dict(leaves(report))
    with_interval = [path for path in flat if beside(path) in flat]
    assert len(with_interval) == {"nominal": 3, "interval": 5}[level] + 2 + 2 + KAPPAS[level] + 3 + 3 * 3 * 2
    for path in with_interval:
        if path == ("gwet_ac1",) and len(values) > 5:
            continue  # the number of categories is that of the whole data
        if path[-1] in ("percent_agreement", "leave_one_out", "share_at_least_half"):
            continue  # shares have Wilson's interval
        defined = [value for value in drawn.get(path, []) if value is not None]
        if np.ptp(defined) < 1e-12:
            assert flat[beside(path)] is None, path
            assert ".".join(map(str, beside(path))) in report["undefined"], path
        else:
            assert flat[beside(path)] == pytest.approx(np.percentile(defined, [2.5, 97.5]).tolist()), path
        assert report["bootstrap"]["left_out"].get(".".join(map(str, path)), 0) == replicates - len(defined)


def test_the_report_is_json_of_plain_values(ratings_of):
    report = describe(ratings_of(random_rows(3, [1.0, 2, 3])), level="interval", scale=(1, 5), replicates=20)
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_the_same_seed_gives_the_same_report(ratings_of):
    ratings = ratings_of(random_rows(4, [1.0, 2, 3]))
    reports = [describe(ratings, level="interval", scale=(1, 5), replicates=50, seed=seed) for seed in (1, 1, 2)]
    assert reports[0] == reports[1] != reports[2]


def test_the_order_of_items_and_names_of_raters_change_no_figure(ratings_of):
    rows = random_rows(5, [1.0, 2, 3])
    renamed = [(item, output, f"z{rater}", value) for item, output, rater, value in rows]
    backwards = sorted(renamed, key=lambda row: row[0], reverse=True)
    figures = [
        dict(leaves(describe(ratings_of(given), level="interval", scale=(1, 5), replicates=0)))
        for given in (rows, backwards)
    ]
    for path, value in figures[0].items():
        if path != ("kappa_raters",):
            assert figures[1][path] == (pytest.approx(value) if isinstance(value, float) else value), path


def test_a_continuous_scale_has_as_many_categories_as_values_were_given_and_a_stepped_one_its_steps():
    given = collect(["i", "i", "j", "j"], ["a"] * 4, ["ann", "bob"] * 2, [0.0, 0.1, 0.3, 0.3])

    def ac1(step):
        return describe(given, level="interval", scale=(0.0, 1.0), step=step, replicates=10)["gwet_ac1"]

    chance = 2 * (0.25 * 0.75) + 0.5 * 0.5  # sum of pi (1 - pi) over the values 0, 0.1 and 0.3
    for step, categories in ((None, 3), (0.1, 11), (0.05, 21)):
        expected = (0.5 - chance / (categories - 1)) / (1 - chance / (categories - 1))
        assert ac1(step) == pytest.approx(expected)
