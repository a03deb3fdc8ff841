from dataclasses import replace

import krippendorff
import numpy as np
import pytest

from agreement.arrays.pair_choices import SIDES
from agreement.meta_evaluation.confusion import (
    ALWAYS,
    MASI_OF_PAIRS,
    NOTHING_SHARED,
    OF_POSITIVE,
    ONE_LABEL_ONLY,
    confusion,
    confusion_table,
)
from agreement.question_figures.pair_report import describe_choices
from agreement.reliability.alpha import alpha
from agreement.reliability.kappa import kappa_pairs


def drawn(seed, units=60, labels=3):
    rng = np.random.default_rng(seed)
    people = rng.integers(0, labels, units)
    return people, np.where(rng.random(units) < 0.6, people, rng.integers(0, labels, units)), np.arange(units) // 4


def figures(sums, items):
    return dict(zip((key[0] for key in sums.keys), sums.at(np.ones((1, items)))[0], strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_kappa_and_alpha_are_those_of_the_other_modules(seed, ratings_of):
    people, judge, item = drawn(seed)
    found = figures(confusion(item, people, judge, (15, 3)), 15)
    given = {(n, "o"): {"a": int(a), "b": int(b)} for n, (a, b) in enumerate(zip(people, judge, strict=True))}
    ratings = ratings_of(given, categories=("x", "y", "z"))
    (pair,) = kappa_pairs(ratings, 60, ["cohen_kappa_pairs"])
    assert found["cohen_kappa"] == pytest.approx(pair.at(np.ones((1, 60)))[0, 0])
    assert found["alpha_nominal"] == pytest.approx(alpha(ratings.unit, ratings.value, "nominal"))
    outside = krippendorff.alpha(np.array([people, judge], dtype=float), level_of_measurement="nominal")
    assert found["alpha_nominal"] == pytest.approx(outside)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sides", [SIDES, None])
def test_figures_of_choices_are_those_of_the_report_of_choices(seed, sides, choices_of):
    people, judge, item = drawn(seed)
    sums = confusion(item, people, judge, (15, 3), distances=MASI_OF_PAIRS, sides=sides)
    rows = [
        (n, "a", "b", rater, ("a", "b", None)[label])
        for n, both in enumerate(zip(people, judge, strict=True))
        for rater, label in zip("pj", both, strict=True)
    ]
    report = describe_choices(replace(choices_of(rows), by_name=sides is None), replicates=0)
    found = figures(sums, 15)
    assert [found["alpha_masi"], found["alpha_nominal"]] == pytest.approx(
        [report["alpha_masi"], report["alpha_nominal"]]
    )
    assert found["cohen_kappa"] == pytest.approx(report["cohen_kappa_pairs"][0])


def test_every_figure_of_choices_is_the_same_if_outputs_of_some_pairs_change_places():
    people, judge, item = drawn(7)
    turned = np.random.default_rng(8).random(people.size) < 0.5
    mirror = np.array([1, 0, 2])
    found = [
        confusion(item, *columns, (15, 3), distances=MASI_OF_PAIRS, sides=SIDES).at(np.ones((1, 15)))[0]
        for columns in (
            (people, judge),
            (np.where(turned, mirror[people], people), np.where(turned, mirror[judge], judge)),
        )
    ]
    assert found[0] == pytest.approx(found[1], abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("labels", [2, 4])
def test_precision_recall_and_f1_are_those_of_the_definition(seed, labels):
    people, judge, item = drawn(seed, 12, labels)
    sums = confusion(item, people, judge, (3, labels), positive=1)
    found, rows = figures(sums, 3), {}
    for label in range(labels):
        hits = int(((people == label) & (judge == label)).sum())
        given, owned = int((judge == label).sum()), int((people == label).sum())
        if given + owned:
            precision, recall = hits / given if given else 0, hits / owned if owned else 0
            rows[label] = precision, recall, 2 * precision * recall / (precision + recall) if hits else 0
    assert [found[name] for name in OF_POSITIVE] == pytest.approx(rows.get(1, (0, 0, 0)))
    macro = [found[name] for name in ("precision_macro", "recall_macro", "f1_macro")]
    assert macro == pytest.approx(np.mean(list(rows.values()), axis=0))
    assert found["accuracy"] == pytest.approx((people == judge).mean())


def test_weights_of_items_count_their_units_again():
    people, judge, item = drawn(1)
    weights = np.random.default_rng(2).integers(0, 3, 15)
    again = np.repeat(np.arange(60), weights[item])
    by_weight = confusion(item, people, judge, (15, 3), distances=MASI_OF_PAIRS, positive=0)
    repeated = confusion(item[again], people[again], judge[again], (15, 3), distances=MASI_OF_PAIRS, positive=0)
    assert by_weight.at(weights[None].astype(float)) == pytest.approx(repeated.at(np.ones((1, 15))))
    weighted = confusion(item, people, judge, (15, 3), weight=weights[item].astype(float))
    assert weighted.counts.sum() == again.size


def test_the_table_and_reasons():
    sums = confusion(np.zeros(3, int), np.array([0, 0, 1]), np.array([0, 1, 1]), (1, 2))
    assert confusion_table(sums, ("no", "yes")) == {"no": {"no": 1, "yes": 1}, "yes": {"no": 0, "yes": 1}}
    one = confusion(np.zeros(2, int), np.zeros(2, int), np.zeros(2, int), (1, 2))
    found = figures(one, 1)
    assert (found["accuracy"], found["f1_macro"]) == (1, 1)
    assert np.isnan([found["cohen_kappa"], found["alpha_nominal"]]).all()
    assert one.reason(("cohen_kappa",)) == ONE_LABEL_ONLY
    nothing = confusion(*[np.zeros(0, int)] * 3, (1, 2), positive=0)
    assert np.isnan(list(figures(nothing, 1).values())).all()
    assert nothing.reason(("accuracy",)) == NOTHING_SHARED
    assert set(figures(nothing, 1)) == {*ALWAYS, *OF_POSITIVE}
