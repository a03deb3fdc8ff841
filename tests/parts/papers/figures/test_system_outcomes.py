"""Outcomes between systems against a count in plain Python, against a baseline and at similar lengths."""

from collections import defaultdict

import numpy as np
import pytest

from agreement.meta_evaluation.output_answers import OutputChoices, Outputs
from parts.papers.figures.baseline_outcomes import NO_LENGTH, baseline_report
from parts.papers.figures.similar_length import similar_length_report
from parts.papers.figures.system_outcomes import OUTCOMES, system_outcomes
from tests.agreement.random_answers import SYSTEMS, random_choices, random_outputs


def counted(choices, outputs):
    """{(system, other): {item: [win, tie, loss, words, other's words]}} from both sides, one row at a time."""
    judgments = defaultdict(list)
    for i, j, choice in zip(choices.first, choices.second, choices.choice, strict=True):
        judgments[i, j].append(choice)
    table = defaultdict(dict)
    for (i, j), given in judgments.items():
        win, loss, tie = (given.count(kind) / len(given) for kind in (0, 1, 2))
        a, b = (outputs.systems[outputs.system[code]] for code in (i, j))
        item, words = outputs.item[i], (outputs.length[i], outputs.length[j])
        table[a, b][item] = [win, tie, loss, *words]
        table[b, a][item] = [loss, tie, win, *words[::-1]]
    return table


@pytest.fixture
def judged():
    rng = np.random.default_rng(8)
    outputs = random_outputs(rng, items=20, missing=0.1)
    return random_choices(rng, outputs, share=0.8, repeats=2), outputs


def test_shares_against_a_baseline_are_those_counted_one_by_one(judged):
    choices, outputs = judged
    report = baseline_report(system_outcomes(choices, outputs), "b", replicates=50)
    table = counted(choices, outputs)
    assert list(report["systems"]) == [name for name in SYSTEMS if name != "b"]
    for name, found in report["systems"].items():
        rows = list(table[name, "b"].values())
        assert found["items"] == len(rows)
        keys = (*OUTCOMES, "words", "baseline_words")
        assert [found[key] for key in keys] == pytest.approx(list(np.mean(rows, axis=0)))
        assert found["win_ci"][0] <= found["win"] <= found["win_ci"][1]
    assert report["undefined"] == {}


def test_an_unknown_baseline_is_refused_and_unknown_lengths_are_named(judged):
    choices, outputs = judged
    with pytest.raises(ValueError, match="none of the systems"):
        baseline_report(system_outcomes(choices, outputs), "x")
    unknown = Outputs(outputs.item, outputs.system, np.full(outputs.size, np.nan), outputs.systems, outputs.items)
    report = baseline_report(system_outcomes(choices, unknown), "b", replicates=0)
    assert report["systems"]["a"]["words"] is None
    assert report["undefined"]["systems.a.words"] == NO_LENGTH
    assert similar_length_report(system_outcomes(choices, unknown), replicates=0)["pairs"] == []


@pytest.mark.parametrize("baseline", [None, "c"])
def test_pairs_of_similar_length_are_those_with_the_smallest_differences(judged, baseline):
    choices, outputs = judged
    report = similar_length_report(system_outcomes(choices, outputs), baseline=baseline, replicates=20)
    table = counted(choices, outputs)
    expected = [(a, b) for a in SYSTEMS for b in SYSTEMS if (a < b if baseline is None else b == baseline != a)]
    assert [tuple(found["systems"]) for found in report["pairs"]] == expected
    for found in report["pairs"]:
        rows = sorted(table[tuple(found["systems"])].values(), key=lambda row: abs(row[3] - row[4]))
        last = rows[int(0.2 * (len(rows) - 1))]
        kept = [row for row in rows if abs(row[3] - row[4]) <= abs(last[3] - last[4])]
        assert (found["items"], found["of"]) == (len(kept), len(rows))
        assert [*(found[key] for key in OUTCOMES), *found["words"]] == pytest.approx(list(np.mean(kept, axis=0)))


def of_lengths(differences):
    """Two systems, each item judged a win of the first; the second's outputs are longer by the differences."""
    items = len(differences)
    length = np.stack([np.full(items, 10.0), 10.0 + np.array(differences)], axis=1).ravel()
    outputs = Outputs(np.repeat(np.arange(items), 2), np.tile([0, 1], items), length, ("a", "b"), items)
    zeros = np.zeros(items, dtype=np.int64)
    choices = OutputChoices(np.arange(items) * 2, np.arange(items) * 2 + 1, zeros, zeros, zeros, ("judge",))
    return system_outcomes(choices, outputs)


def test_a_fifth_of_the_items_is_kept_and_those_that_tie_with_its_last():
    (found,) = similar_length_report(of_lengths(range(100)), replicates=0)["pairs"]
    assert (found["items"], found["most_words_apart"], found["win"]) == (20, 19, 1)
    (found,) = similar_length_report(of_lengths([*range(18), 18, 18, 18, 18, *range(30, 108)]), replicates=0)["pairs"]
    assert (found["items"], found["of"], found["most_words_apart"]) == (22, 100, 18)
