"""A judge and one more person, compared with the other people on the same answers."""

import numpy as np
import pytest
from scipy import stats

from agreement.meta_evaluation.compared_answers import (
    Judge,
    people_who_chose,
    people_who_scored,
    rerun_of_choices,
    rerun_of_scores,
)
from agreement.meta_evaluation.judge_report import judge_report
from agreement.meta_evaluation.output_answers import OutputChoices, OutputScores


def of_judge(report, name="j"):
    return report["judges"][name]["one_more_person"]


def choices_of(rng, outputs, rater, shares, name):
    """A choice of each item's pair by each of the raters, drawn from these shares of first, second and tie."""
    first = np.arange(0, outputs.size, 2)
    pairs, raters = np.repeat(first, len(rater)), np.tile(rater, first.size)
    drawn = rng.choice(3, pairs.size, p=shares)
    names = tuple(f"{name}{number}" for number in range(max(rater) + 1))
    return OutputChoices(pairs, pairs + 1, raters, drawn, np.full(pairs.size, -1), names)


@pytest.mark.parametrize("people", [2, 3, 5])
def test_a_judge_that_answers_as_people_do_is_as_good_as_a_person(outputs_of, people):
    rng = np.random.default_rng(people)
    outputs, shares = outputs_of(30000, 2), (0.7, 0.2, 0.1)
    given = choices_of(rng, outputs, range(people), shares, "p")
    judge = Judge("j", [rerun_of_choices(outputs, choices_of(rng, outputs, [0], shares, "j"))])
    found = of_judge(judge_report(people_who_chose(outputs, given), [judge], replicates=0))
    assert found["choices"] == 30000 * people
    for figure in ("accuracy", "alpha_masi", "leave_one_out"):
        if found["person"][figure] is not None:
            assert found["judge"][figure] == pytest.approx(found["person"][figure], abs=0.02)


def test_both_sides_pool_the_same_answers_of_a_crowd(outputs_of):
    rng = np.random.default_rng(3)
    outputs = outputs_of(40, 3)
    output, rater = np.nonzero(rng.random((outputs.size, 6)) < 0.4)
    value = rng.normal(size=output.size).round(1)
    people = people_who_scored(outputs, OutputScores(output, rater, value, tuple("abcdef")))
    scored = np.flatnonzero(rng.random(outputs.size) < 0.7)
    own = rng.normal(size=scored.size).round(1)
    rerun = rerun_of_scores(outputs, OutputScores(scored, np.zeros(scored.size, dtype=int), own, ("j",)))
    found = of_judge(judge_report(people, [Judge("j", [rerun])], replicates=50))

    of_judge_by_output = dict(zip(scored.tolist(), own.tolist(), strict=True))
    entries, whose = [], []
    for unit in range(outputs.size):
        values = value[output == unit]
        if unit in of_judge_by_output and values.size > 1:
            whose += rater[output == unit].tolist()
            entries += [
                (np.delete(values, place).mean(), person, of_judge_by_output[unit])
                for place, person in enumerate(values)
            ]
    others, person, judged = np.array(entries).T
    rater_of = np.array(whose)
    for rater in np.unique(rater_of):
        for column in (others, person, judged):
            column[rater_of == rater] -= column[rater_of == rater].mean()
    assert found["scores"] == len(entries)
    assert found["person"]["pearson"] == pytest.approx(stats.pearsonr(others, person).statistic)
    assert found["judge"]["pearson"] == pytest.approx(stats.pearsonr(others, judged).statistic)
    for side in ("judge", "person"):
        low, high = found[side]["pearson_ci"]
        assert low <= found[side]["pearson"] <= high


@pytest.mark.parametrize("people", [2, 4])
def test_people_of_different_levels_are_no_worse_than_a_judge_of_one_level(outputs_of, people):
    """Scores and yes or no of people whose levels differ; the judge is one more of them."""
    gaps = {"pearson": [], "auc_roc": []}
    for seed in range(25):
        rng = np.random.default_rng(seed)
        outputs = outputs_of(100, 3)
        truth, level = rng.normal(size=outputs.size), rng.normal(size=people + 1)
        given = truth[:, None] + level + rng.normal(size=(outputs.size, people + 1))
        output, rater = (axis.ravel() for axis in np.indices((outputs.size, people)))
        for figure, values in (("pearson", given), ("auc_roc", (given > 0).astype(float))):
            scores = OutputScores(output, rater, values[:, :people].ravel(), tuple("abcd"[:people]))
            own = OutputScores(np.arange(outputs.size), np.zeros(outputs.size, dtype=int), values[:, people], ("j",))
            crowd = people_who_scored(outputs, scores, yes_or_no=figure == "auc_roc")
            found = of_judge(judge_report(crowd, [Judge("j", [rerun_of_scores(outputs, own)])], replicates=0))
            gaps[figure].append(found["judge"][figure] - found["person"][figure])
    for gap in gaps.values():
        assert abs(np.mean(gap)) < 0.03


def test_a_copy_of_a_person_is_as_good_as_the_person_where_the_person_answered(outputs_of, chosen):
    outputs = outputs_of(3, 2)
    people = people_who_chose(
        outputs, chosen([(0, 1, "p", 0), (0, 1, "q", 0), (2, 3, "p", 3), (2, 3, "q", 2), (4, 5, "p", 4)])
    )
    judge = Judge("j", [rerun_of_choices(outputs, chosen([(0, 1, "j", 0), (2, 3, "j", 2), (4, 5, "j", 5)]))])
    found = of_judge(judge_report(people, [judge], replicates=0))
    assert found["choices"] == 4  # nobody else judged the third pair
    assert (found["judge"]["accuracy"], found["person"]["accuracy"]) == (0.75, 0.5)


def test_answers_in_both_orders_are_compared_with_the_persons_twice(outputs_of, chosen):
    outputs = outputs_of(1, 2)
    people = people_who_chose(outputs, chosen([(0, 1, "p", 0), (0, 1, "q", 0)]))
    judge = Judge("j", [rerun_of_choices(outputs, chosen([(0, 1, "j", 0), (0, 1, "j", 1)]))])
    found = of_judge(judge_report(people, [judge], replicates=0))
    assert found["choices"] == 4
    assert (found["judge"]["accuracy"], found["person"]["accuracy"]) == (0.5, 1)


def test_nothing_in_common_has_reasons(outputs_of, chosen):
    outputs = outputs_of(2, 2)
    people = people_who_chose(outputs, chosen([(0, 1, "p", 0), (0, 1, "q", 0)]))
    judge = Judge("j", [rerun_of_choices(outputs, chosen([(2, 3, "j", 2)]))])
    found = of_judge(judge_report(people, [judge], replicates=10))
    assert (found["scores"], found["choices"]) == (0, 0)
    for side in ("judge", "person"):
        nothing = {name for name, one in found[side].items() if one is None}
        assert (
            {"accuracy", "leave_one_out", "pearson", "system_kendall_tau_b"} <= nothing <= set(found[side]["undefined"])
        )


def test_judges_on_the_same_answers_share_the_figures_of_a_person(outputs_of):
    rng = np.random.default_rng(4)
    outputs, shares = outputs_of(50, 2), (0.6, 0.3, 0.1)
    people = people_who_chose(outputs, choices_of(rng, outputs, range(3), shares, "p"))
    one, other = (
        Judge(name, [rerun_of_choices(outputs, choices_of(rng, outputs, [0], shares, name))]) for name in "jk"
    )
    report = judge_report(people, [one, other], replicates=50)
    alone = judge_report(people, [other], replicates=50)
    assert of_judge(report, "j")["person"] == of_judge(report, "k")["person"]
    assert of_judge(report, "k") == of_judge(alone, "k")
