import numpy as np
import pytest
from scipy import stats

from agreement.intervals.bootstrap import NO_VARIATION
from agreement.meta_evaluation.alternative_annotator import alternative_annotator_test


def by_hand(answers, judge, epsilon, fits):
    """The published procedure for one unit per item: answers {person: {item: value}}, judge {item: value}."""
    p_values, rates = [], []
    for person, own in answers.items():
        differences, judge_rate = [], []
        for item, answer in own.items():
            others = [other[item] for name, other in answers.items() if name != person and item in other]
            if not others or item not in judge:
                continue
            mine, its = fits(answer, others), fits(judge[item], others)
            differences.append((mine >= its - 1e-12) * 1 - (its >= mine - 1e-12) * 1)
            judge_rate.append((its >= mine - 1e-12) * 1)
        p_values.append(stats.ttest_1samp(differences, epsilon, alternative="less").pvalue)
        rates.append(np.mean(judge_rate))
    m = len(p_values)
    order, limit = np.argsort(p_values), 0.05 / sum(1 / k for k in range(1, m + 1))
    passed = [rank for rank, place in enumerate(order, 1) if p_values[place] <= rank / m * limit]
    return p_values, max(passed, default=0) / m, np.mean(rates)


def share_equal(answer, others):
    return np.mean([answer == other for other in others])


def minus_distance(answer, others):
    return -np.sqrt(np.mean([(answer - other) ** 2 for other in others]))


def drawn(seed, items=60, people=4, steps=3, noise=0.3, judge_noise=0.3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, steps, items)

    def answers(share):
        return np.where(rng.random(items) < share, rng.integers(0, steps, items), truth)

    given = {f"p{n}": dict(enumerate(answers(noise).tolist())) for n in range(people)}
    for n in range(people):
        for item in rng.choice(items, items // 6, replace=False).tolist():
            del given[f"p{n}"][item]
    return given, dict(enumerate(answers(judge_noise).tolist()))


def run(answers, judge, items=60, **options):
    names = sorted(answers)
    rows = [(item, names.index(name), value) for name in names for item, value in answers[name].items()]
    unit, rater, value = (np.array(column) for column in zip(*rows, strict=True))
    own = np.array([judge.get(item, np.nan) for item in range(items)], dtype=float)
    return alternative_annotator_test(
        unit, rater, value.astype(float), own, np.arange(items), names, replicates=200, **options
    )


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("scores", "fits"), [(False, share_equal), (True, minus_distance)])
def test_it_equals_the_published_procedure_step_by_step(seed, scores, fits):
    answers, judge = drawn(seed, steps=5 if scores else 3)
    del judge[7]
    p_values, omega, rho = by_hand(answers, judge, 0.15, fits)
    found = run(answers, judge, scores=scores, epsilon=0.15)
    assert [person.p for person in found.people] == pytest.approx(p_values)
    assert found.omega == omega
    assert found.rho.value == pytest.approx(rho)
    assert found.passes is (omega >= 0.5)
    assert found.missing == ()


def test_a_judge_like_people_passes_and_one_that_guesses_does_not():
    like_people = [run(*drawn(seed, items=100), items=100, scores=False, epsilon=0.2).passes for seed in range(10)]
    guessing = [
        run(*drawn(seed, items=100, judge_noise=1), items=100, scores=False, epsilon=0.2).passes for seed in range(10)
    ]
    assert sum(like_people) >= 9
    assert sum(guessing) == 0


def test_the_judge_that_gives_the_majority_has_every_advantage():
    answers = {"a": {}, "b": {}, "c": {}}
    for item in range(40):
        for name in answers:
            answers[name][item] = 1 if name == "abc"[item % 3] else 0
    found = run(answers, dict.fromkeys(range(40), 0), items=40, scores=False)
    assert (found.rho.value, found.omega, found.passes) == (1, 1, True)
    assert (found.rho.interval, found.rho.interval_reason) == (None, NO_VARIATION)


def test_the_interval_of_rho_covers_it():
    def rho(seed, items):
        answers, judge = drawn(seed, items=items, people=3, judge_noise=0.5)
        return run(answers, judge, items=items, scores=False).rho

    truth = rho(0, 20_000).value
    inside = [low <= truth <= high for low, high in (rho(seed, 60).interval for seed in range(1, 101))]
    assert 88 <= sum(inside) <= 100


def test_equal_distances_tie_in_spite_of_rounding():
    answers = {"a": dict.fromkeys(range(40), 0.1 + 0.2), "b": dict.fromkeys(range(40), 0.3)}
    answers |= {"c": dict.fromkeys(range(40), 0.3)}
    found = run(answers, dict.fromkeys(range(40), 0.3), items=40, scores=True)
    assert all(person.judge_advantage == person.person_advantage == 1 for person in found.people)


def test_too_little_data_is_said():
    answers, judge = drawn(1, items=20, people=2)
    found = run(answers, judge, items=20, scores=False)
    assert (found.omega, found.passes, found.rho.value) == (None, None, None)
    assert found.missing[0] == "3 people are needed; 2 answered."
    assert "30 are needed" in found.missing[1]
    assert "nobody answered 30 items" in found.reason
    two = {name: dict.fromkeys(range(40), 0) for name in "ab"}
    assert run(two, dict.fromkeys(range(40), 0), items=40, scores=False).passes is None


def test_nobody_and_a_wrong_epsilon():
    empty = np.zeros(0, dtype=np.int64)
    found = alternative_annotator_test(empty, empty, empty, np.zeros(0), empty, [], scores=False)
    assert (found.omega, found.people) == (None, ())
    with pytest.raises(ValueError, match="between 0 and 1"):
        alternative_annotator_test(empty, empty, empty, np.zeros(0), empty, [], scores=False, epsilon=2)


@pytest.mark.thorough
def test_a_judge_that_is_worse_by_epsilon_wins_in_one_case_of_twenty():
    # Two people are always right, the third in 90 % of items and the judge in 70 %: its disadvantage is 0.2.
    rng, p_values = np.random.default_rng(1), []
    for _ in range(400):
        right = {name: dict.fromkeys(range(80), 1) for name in "ab"}
        third, judge = (dict(enumerate((rng.random(80) < share).astype(int).tolist())) for share in (0.9, 0.7))
        found = run(right | {"c": third}, judge, items=80, scores=False, epsilon=0.2)
        p_values.append(found.people[2].p)
    assert 0.02 <= np.mean(np.array(p_values) <= 0.05) <= 0.09
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.05)
