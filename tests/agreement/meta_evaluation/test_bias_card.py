import numpy as np
import pytest

from agreement.arrays.pair_choices import FIRST, SECOND, TIE, UNKNOWN
from agreement.meta_evaluation.bias_card import DECIDED, NO_FAMILY, NO_OWN, NOT_REPEATED, bias_card
from agreement.meta_evaluation.choice_figures import NO_ORDER
from agreement.meta_evaluation.compared_answers import Judge, people_who_chose, rerun_of_choices
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs

SIGN = {FIRST: 1, SECOND: -1, TIE: 0}


def rows(choices):
    columns = (choices.first, choices.second, choices.choice, choices.shown_first)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def by_hand(side, other, people, outputs, family):
    """A side's length, family and verbosity figures, pair by pair."""
    given, theirs = {}, {}
    for store, choices in ((given, side), (theirs, people)):
        for a, b, choice, _ in rows(choices):
            store.setdefault((a, b), []).append(choice)
    shared = {pair[:2] for pair in rows(side)} & {pair[:2] for pair in rows(other)}
    found = {"length": [], "own_family": [], "verbosity": []}
    for a, b in shared:
        mean = np.mean([SIGN[choice] for choice in given[a, b]])
        longer = np.sign(outputs.length[a] - outputs.length[b])
        if longer:
            found["length"].append(longer * mean)
            counts = [theirs[a, b].count(choice) for choice in (FIRST, SECOND, TIE)]
            if counts.count(max(counts)) > 1 or counts.index(max(counts)) == TIE:
                found["verbosity"].append(longer * mean)
        ours = int(family[outputs.system[a]]) - int(family[outputs.system[b]])
        if ours:
            found["own_family"].append(ours * mean)
    return {name: np.mean(values) for name, values in found.items()}


@pytest.mark.parametrize("seed", range(5))
def test_figures_are_those_of_a_loop_over_pairs(seed, outputs_of, random_choices):
    rng = np.random.default_rng(seed)
    outputs = outputs_of(12, 4, rng.integers(1, 5, 48))
    family = np.array([True, False, False, True])
    of_judge, of_people = (random_choices(rng, outputs, 900) for _ in range(2))
    people = people_who_chose(outputs, of_people)
    card = bias_card(Judge("j", [rerun_of_choices(outputs, of_judge)], family), people, replicates=50)
    for side, choices, other in (("judge", of_judge, people.choices), ("people", people.choices, of_judge)):
        for name, value in by_hand(choices, other, people.choices, outputs, family).items():
            assert getattr(card[name], side).value == pytest.approx(value)
        known = [SIGN[choice] * SIGN[order] for _, _, choice, order in rows(choices) if order != UNKNOWN]
        assert getattr(card["position"], side).value == pytest.approx(np.mean(known))
    for name in ("position", "length", "own_family", "verbosity"):
        assert card[name].difference.value == pytest.approx(card[name].judge.value - card[name].people.value)


def swayed(rng, items, quality, *, first=0.0, longer=0.0, own=0.0, raters=1):
    """Outputs a (the judge's family) and b, and a function that draws choices with the given log-odds."""
    length = rng.integers(50, 150, 2 * items).astype(float)
    outputs = Outputs(np.repeat(np.arange(items), 2), np.tile([0, 1], items), length, ("a", "b"), items)
    one = np.tile(np.arange(0, 2 * items, 2), raters)
    shown = rng.integers(0, 2, one.size)
    odds = quality + own + longer * np.sign(length[one] - length[one + 1]) + first * np.where(shown == FIRST, 1, -1)
    choice = np.where(rng.random(one.size) < 1 / (1 + np.exp(-odds)), FIRST, SECOND)
    rater = np.repeat(np.arange(raters), items)
    return outputs, OutputChoices(one, one + 1, rater, choice, shown, tuple(f"r{n}" for n in range(raters)))


def card_of(seed, items=300, quality=0.0, **sway):
    outputs, given = swayed(np.random.default_rng(seed), items, quality, raters=3)
    _, of_judge = swayed(np.random.default_rng(seed), items, quality, **sway)
    judge = Judge("j", [rerun_of_choices(outputs, of_judge)], np.array([True, False]))
    return bias_card(judge, people_who_chose(outputs, given), replicates=200)


def test_each_bias_is_found_and_no_other():
    fair = card_of(1)
    assert [fair[name].matters for name in ("position", "length", "own_family")] == [False] * 3
    assert fair["length"].sentence == "No sign that the judge prefers or avoids the longer output."
    assert card_of(2, first=1.0)["position"].sentence == (
        "The judge prefers the output shown first, more than people do."
    )
    wordy = card_of(3, longer=1.0)
    assert wordy["length"].matters
    assert wordy["position"].matters is False
    fond = card_of(4, own=1.0)
    assert fond["own_family"].matters
    assert fond["own_family"].sentence == "The judge chooses its own family more often than people do."


def test_a_better_family_is_no_preference_and_a_worse_one_treated_as_equal_is():
    better = [card_of(seed, items=100, quality=1.0)["own_family"] for seed in range(60)]
    assert all(one.judge.interval[0] > 0 for one in better)
    assert 0 < sum(one.matters for one in better) <= 9  # 5 % by chance
    unmoved = next(one for one in better if not one.matters)
    assert unmoved.sentence == "The judge chooses its own family about as often as people do."
    worse = card_of(6, quality=-1.5, own=1.5)["own_family"]
    assert worse.judge.interval[0] < 0 < worse.judge.interval[1]
    assert worse.matters


def test_what_people_share_is_not_the_judges_bias():
    rng = np.random.default_rng(7)
    outputs, given = swayed(rng, 400, 0, longer=0.8)
    card = bias_card(Judge("j", [rerun_of_choices(outputs, given)]), people_who_chose(outputs, given), replicates=100)
    assert (
        card["length"].sentence == "The judge prefers the longer output, and not clearly more or less than people do."
    )
    assert card["verbosity"].judge.reason == DECIDED
    assert card["own_family"].judge.reason == NO_FAMILY


def test_intervals_of_the_difference_cover_it():
    own = 0.6
    truth = 2 / (1 + np.exp(-own)) - 1
    inside = 0
    for seed in range(100):
        interval = card_of(seed, items=80, own=own)["own_family"].difference.interval
        inside += interval[0] <= truth <= interval[1]
    assert 89 <= inside <= 100


def test_injection_and_repetition(outputs_of, chosen):
    outputs = outputs_of(2, 2)
    people = people_who_chose(outputs, chosen([(0, 1, "p", 0)]))
    again = [rerun_of_choices(outputs, chosen([(0, 1, "j", winner), (3, 2, "j", 2)])) for winner in (0, 1)]
    card = bias_card(Judge("j", again), people, flips=(2, 20), replicates=50)
    assert card["self_agreement"].judge.value == 0.5
    assert card["injection"].sentence == "Hidden instructions turned 2 of 20 judgments."
    assert card["injection"].matters
    none = bias_card(Judge("j", again[:1], np.array([True, True])), people, flips=(0, 20), replicates=50)
    assert none["injection"].matters is False
    assert "up to 16%" in none["injection"].sentence
    assert none["self_agreement"].judge.reason == NOT_REPEATED
    assert none["own_family"].judge.reason == NO_OWN
    assert bias_card(Judge("j", again), people, replicates=0)["injection"].judge.value is None
    with pytest.raises(ValueError, match="more judgments"):
        bias_card(Judge("j", again), people, flips=(3, 2))


def test_an_unknown_order_has_a_reason(outputs_of, chosen):
    outputs = outputs_of(1, 2)
    choices = chosen([(0, 1, "p", 0, False)])
    card = bias_card(Judge("j", [rerun_of_choices(outputs, choices)]), people_who_chose(outputs, choices))
    assert card["position"].judge.reason == NO_ORDER
    assert card["position"].matters is None


def test_a_judge_that_always_takes_the_first_has_a_bias_that_matters(outputs_of):
    rng = np.random.default_rng(8)
    outputs = outputs_of(60, 2)
    first = np.arange(0, 120, 2)
    shown, drawn = rng.integers(0, 2, 60), rng.integers(0, 2, 60)
    of_judge = OutputChoices(first, first + 1, first * 0, shown, shown, ("j",))
    of_people = OutputChoices(first, first + 1, first * 0, drawn, shown, ("p",))
    found = bias_card(Judge("j", [rerun_of_choices(outputs, of_judge)]), people_who_chose(outputs, of_people))[
        "position"
    ]
    assert found.judge.value == 1
    assert found.judge.interval[0] > 0.8
    assert found.matters
