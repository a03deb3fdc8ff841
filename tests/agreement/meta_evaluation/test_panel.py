from collections import Counter

import numpy as np
import pytest

from agreement.arrays.pair_choices import FIRST, SECOND, TIE, UNKNOWN
from agreement.meta_evaluation.compared_answers import Judge, rerun_of_choices, rerun_of_scores
from agreement.meta_evaluation.panel import panel_of

pytestmark = pytest.mark.quick


def most(answers):
    counted = Counter(answers).most_common()
    return counted[0][0] if len(counted) == 1 or counted[0][1] > counted[1][1] else TIE


def by_hand(reruns, outputs):
    """{(pair, order): choice} by the module's rules, one pair at a time."""
    given = [
        {"pair": pair, "order": order, "choice": choice, "judge": number}
        for number, rerun in enumerate(reruns)
        for pair, order, choice in zip(
            rerun.choices.pair(outputs).tolist(), rerun.choices.shown_first.tolist(), rerun.choices.choice.tolist(),
            strict=True,
        )
    ]  # fmt: skip
    found = {}
    for pair in {one["pair"] for one in given}:
        about = [one for one in given if one["pair"] == pair]
        orders = {one["order"] for one in about}
        votes = {
            order: [
                most([one["choice"] for one in about if one["judge"] == judge and one["order"] == order])
                for judge in {one["judge"] for one in about if one["order"] == order}
            ]
            for order in orders
        }
        if all(len(of_order) == len(reruns) for of_order in votes.values()):
            found |= {(pair, order): most(of_order) for order, of_order in votes.items()}
        elif len({one["judge"] for one in about}) == len(reruns):
            own = [most([one["choice"] for one in about if one["judge"] == judge]) for judge in range(len(reruns))]
            found[pair, UNKNOWN] = most(own)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_choices_are_the_majority_by_a_loop_over_pairs(seed, outputs_of, random_choices):
    rng = np.random.default_rng(seed)
    outputs = outputs_of(6, 3)
    reruns = [rerun_of_choices(outputs, random_choices(rng, outputs, 1500)) for _ in range(3)]
    panel = panel_of("p", [Judge(name, [rerun]) for name, rerun in zip("xyz", reruns, strict=True)], outputs)
    choices = panel.reruns[0].choices
    keys = zip(choices.pair(outputs).tolist(), choices.shown_first.tolist(), strict=True)
    found = dict(zip(keys, choices.choice.tolist(), strict=True))
    expected = by_hand(reruns, outputs)
    assert found == expected
    assert len(found) == choices.choice.size > 10
    assert {order for _, order in found} == {FIRST, SECOND, UNKNOWN}


def test_scores_are_averaged_over_what_all_scored(outputs_of, scores_of):
    outputs = outputs_of(1, 4)
    one = rerun_of_scores(outputs, scores_of([(0, "x", 1), (1, "x", 3), (2, "x", 5)]))
    two = rerun_of_scores(outputs, scores_of([(0, "y", 2), (1, "y", 1), (3, "y", 5)]))
    panel = panel_of("p", [Judge("x", [one, one]), Judge("y", [two])], outputs)
    (rerun,) = panel.reruns
    assert rerun.scores.output.tolist() == [0, 1]
    assert rerun.scores.value.tolist() == [1.5, 2]
    assert rerun.choices.choice.tolist() == [SECOND]
    assert panel.about == {"panel": ["x", "y"], "left_out": 2}


def test_pairs_that_one_judge_left_out_are_counted(outputs_of, chosen):
    outputs = outputs_of(1, 3)
    one = rerun_of_choices(outputs, chosen([(0, 1, "x", 0), (0, 2, "x", 0)]))
    two = rerun_of_choices(outputs, chosen([(0, 1, "y", 1)]))
    panel = panel_of("p", [Judge("x", [one]), Judge("y", [two])], outputs)
    assert panel.reruns[0].choices.choice.tolist() == [TIE]
    assert panel.about["left_out"] == 1


def test_families_are_joined_and_unknown_ones_stay_unknown(outputs_of, scores_of):
    outputs = outputs_of(1, 2)
    reruns = [rerun_of_scores(outputs, scores_of([(0, "x", 1)]))]
    a, b = (Judge(name, reruns, np.array(own)) for name, own in (("x", [True, False]), ("y", [False, False])))
    assert panel_of("p", [a, b], outputs).own_family.tolist() == [True, False]
    assert panel_of("p", [a, Judge("z", reruns)], outputs).own_family is None


def test_judges_of_different_shapes_are_no_panel(outputs_of, scores_of, chosen):
    outputs = outputs_of(1, 2)
    score = Judge("x", [rerun_of_scores(outputs, scores_of([(0, "x", 1)]))])
    choice = Judge("y", [rerun_of_choices(outputs, chosen([(0, 1, "y", 0)]))])
    for judges in ([score, choice], []):
        with pytest.raises(ValueError, match="same shape"):
            panel_of("p", judges, outputs)
