import json

import numpy as np
import pytest
from scipy import stats

from agreement.meta_evaluation.auc import auc_roc
from agreement.meta_evaluation.compared_answers import (
    Judge,
    people_who_chose,
    people_who_scored,
    rerun_of_choices,
    rerun_of_scores,
)
from agreement.meta_evaluation.judge_report import TOO_MANY_PEOPLE, each_against_the_others, judge_report
from agreement.meta_evaluation.output_answers import Outputs, OutputScores
from agreement.meta_evaluation.score_figures import scored_by_both
from agreement.meta_evaluation.winners import winner_figures


def lines(path, question):
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return [row for row in rows if row["question"] == question]


def read_scores(rows, outputs, items):
    """The rows' scores by the codes of their outputs."""
    places = {
        (items[item], outputs.systems[system]): place
        for place, (item, system) in enumerate(zip(outputs.item, outputs.system, strict=True))
    }
    raters = tuple(sorted({row["rater"] for row in rows}))
    return OutputScores(
        np.array([places[row["item"], row["output"]] for row in rows]),
        np.array([raters.index(row["rater"]) for row in rows]),
        np.array([float(row["value"]) for row in rows]),
        raters,
    )


@pytest.mark.parametrize("question", ["relevance", "coherence"])
def test_public_judges_have_the_expected_figures(reference_data, question):
    folder = reference_data / "hanna"
    given, scored = lines(folder / "ratings.jsonl", question), lines(folder / "scores.jsonl", question)
    expected = json.loads((folder / "expected.json").read_text("utf-8"))["questions"][question]["judges"]
    items, systems = (sorted({row[key] for row in given}) for key in ("item", "output"))
    size = len(items) * len(systems)
    outputs = Outputs(
        np.repeat(np.arange(len(items)), len(systems)), np.tile(np.arange(len(systems)), len(items)),
        np.full(size, np.nan), tuple(systems), len(items),
    )  # fmt: skip
    judges = []
    for name in expected:
        scores = read_scores([row for row in scored if row["rater"] == name], outputs, items)
        judges.append(Judge(name, [rerun_of_scores(outputs, scores)]))
    people = people_who_scored(outputs, read_scores(given, outputs, items))
    report = judge_report(people, judges, replicates=0)
    assert len(expected) == 3
    for name, figures in expected.items():
        for figure, value in figures.items():
            assert report["judges"][name][figure] == pytest.approx(value, abs=5.001e-5), (name, figure)


@pytest.fixture
def drawn(outputs_of, random_choices):
    """Outputs, people with yes-or-no scores, and two judges: one of two reruns of scores, one of choices."""

    def build(seed, people=4):
        rng = np.random.default_rng(seed)
        outputs = outputs_of(20, 3, rng.integers(1, 4, 60))
        output = np.repeat(np.arange(60), people)
        scores = OutputScores(
            output, np.tile(np.arange(people), 60), rng.integers(0, 2, output.size).astype(float),
            tuple(f"p{n:02}" for n in range(people)),
        )  # fmt: skip
        one = [OutputScores(np.arange(60), np.zeros(60, int), rng.random(60), ("m",)) for _ in range(2)]
        family = np.array([True, False, False])
        judges = [
            Judge("m", [rerun_of_scores(outputs, scores) for scores in one], family, {"note": "kept"}),
            Judge("c", [rerun_of_choices(outputs, random_choices(rng, outputs, 4000, raters=1))]),
        ]
        return outputs, people_who_scored(outputs, scores, yes_or_no=True), judges

    return build


def test_figures_of_reruns_are_averaged_with_their_spread(drawn):
    outputs, people, judges = drawn(1)
    report = judge_report(people, judges, replicates=50)["judges"]["m"]
    means = people.scores.means(outputs)
    values = [rerun.scores.means(outputs) for rerun in judges[0].reruns]
    pearsons = [stats.pearsonr(means, value).statistic for value in values]
    assert report["pearson"] == pytest.approx(np.mean(pearsons))
    assert report["spread"]["pearson"] == pytest.approx(np.std(pearsons, ddof=1))
    areas = [auc_roc(np.sign(means - 0.5) / 2 + 0.5, value) for value in values]
    assert report["auc_roc"] == pytest.approx(np.mean([area.value for area in areas]))
    assert report["auc_roc_se"] == pytest.approx(np.mean([area.se for area in areas]))
    assert (report["reruns"], report["shape"], report["note"], report["outputs"]) == (2, "score", "kept", 60)
    winners = [
        winner_figures(scored_by_both(means, value), outputs, judges[0].own_family).at(np.ones((1, 20)))[0]
        for value in values
    ]
    shares = [report["winners"][key] for key in ("perfect_agreement", "disagreement", "prefers_own_family")]
    assert shares == pytest.approx(np.mean(winners, axis=0))
    assert "both_orders" not in report


def test_people_are_compared_with_one_another(drawn):
    _, people, judges = drawn(2)
    report = judge_report(people, judges, replicates=50)["people"]
    table = np.full((60, 4), np.nan)
    table[people.scores.output, people.scores.rater] = people.scores.value
    rest = (table.sum(axis=1, keepdims=True) - table) / 3
    assert report["pearson"] == pytest.approx(stats.pearsonr(rest.ravel(), table.ravel()).statistic)
    taus = []
    for person in range(4):
        for item in range(20):
            own, others = table[3 * item : 3 * item + 3, person], rest[3 * item : 3 * item + 3, person]
            if np.ptp(np.round(others, 9)):
                taus.append(stats.kendalltau(own, np.round(others, 9)).statistic if np.ptp(own) else 0)
    assert report["item_kendall_tau_b"] == pytest.approx(np.mean(taus))
    assert (report["raters"], report["ratings"]) == (4, 240)


def test_a_judge_of_choices_has_both_orders_and_intervals(drawn):
    _, people, judges = drawn(3, people=2)
    report = judge_report(people, judges, replicates=100)["judges"]["c"]
    low, high = report["accuracy_ci"]
    assert low <= report["accuracy"] <= high
    assert report["both_orders"]["pairs"] > 0
    assert report["both_orders"]["self_accuracy"] is not None
    assert report["winners"]["prefers_own_family"] is None
    assert "which family" in report["undefined"]["winners.prefers_own_family"]


def test_all_figures_share_their_draws(drawn):
    _, people, judges = drawn(4)
    together = judge_report(people, judges, replicates=100, seed=5)
    alone = judge_report(people, judges[1:], replicates=100, seed=5)
    assert together["judges"]["c"] == alone["judges"]["c"]
    assert together["people"] == alone["people"]
    assert together["bootstrap"]["seed"] == 5


def test_many_people_have_no_figures_of_each(drawn):
    _, people, judges = drawn(5, people=31)
    report = judge_report(people, judges, replicates=20)["people"]
    assert report["system_kendall_tau_b"] is None
    assert report["undefined"]["system_kendall_tau_b"] == TOO_MANY_PEOPLE


def test_each_score_is_compared_with_the_mean_of_the_others(scores_of):
    scored = each_against_the_others(scores_of([(0, "a", 1), (0, "b", 2), (0, "c", 6), (1, "a", 9)]), 2)
    assert scored.people.tolist() == [4, 3.5, 1.5]
    assert scored.judge.tolist() == [1, 2, 6]


def test_people_who_chose_are_a_group_too(outputs_of, chosen):
    outputs = outputs_of(2, 2)
    people = people_who_chose(outputs, chosen([(0, 1, "p", 0), (0, 1, "q", 0), (2, 3, "p", 3), (2, 3, "q", 3)]))
    judge = Judge("j", [rerun_of_choices(outputs, chosen([(0, 1, "j", 0), (2, 3, "j", 2)]))])
    report = judge_report(people, [judge], replicates=0)["judges"]["j"]
    assert (report["accuracy"], report["pairs"], report["item_kendall_tau_b"]) == (0.5, 2, 0)
    assert "auc_roc" not in report


def test_every_figure_without_a_value_has_a_reason(outputs_of, chosen):
    outputs = outputs_of(1, 2)
    people = people_who_chose(outputs, chosen([(0, 1, "p", 0), (0, 1, "q", 0)]))
    judge = Judge("j", [rerun_of_choices(outputs, chosen([(0, 1, "j", 0)]))])
    report = judge_report(people, [judge], replicates=10)
    for part in (report["people"], report["judges"]["j"]):
        nothing = {name for name, value in part.items() if value is None}
        assert {"leave_one_out", "leave_one_out_ci", "rank_distance_se", "pearson_distance_se"} <= nothing
        assert nothing <= set(part["undefined"])
