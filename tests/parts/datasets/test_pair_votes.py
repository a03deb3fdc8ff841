"""Preference pairs and ties, from choices, ranks, best and worst, and values."""

import pytest

from files.reading import ImportRefusedError, import_study
from parts.datasets.pair_votes import preference_lines, tie_lines
from tests.parts.datasets.conftest import ORDERED, chosen, likert, ranked

pytestmark = [pytest.mark.quick, pytest.mark.django_db]
BETTER = {"key": "better", "type": "preference"}


def votes_of(lines, *columns):
    return {tuple(line[column] for column in columns): [line[key] for key in line if key.startswith("votes")]
            for line in lines}  # fmt: skip


def preferred(study):
    return votes_of(preference_lines(study), "item", "chosen_system", "rejected_system")


def tied(study):
    return votes_of(tie_lines(study), "item", "first_system", "second_system")


def test_choices_make_a_pair_with_texts_prompt_and_votes_and_ties_are_apart(answered):
    study = answered("pairwise", [BETTER], [
        chosen("one", ["bea", "ada"], "r1", "bea"), chosen("one", ["ada", "bea"], "r2", "bea"),
        chosen("one", ["ada", "bea"], "r3", "ada"),
        chosen("two", ["ada", "bea"], "r1", "ada"), chosen("two", ["ada", "bea"], "r2", "bea"),
        chosen("two", ["bea", "cyd"], "r1", "cyd"), chosen("two", ["bea", "cyd"], "r2", "tie"),
        chosen("two", ["bea", "cyd"], "r3", "tie"),
    ])  # fmt: skip
    assert list(preference_lines(study)) == [
        {
            "question": "better", "item": "one", "prompt": "Do it.\n\ndocument one", "chosen": "one by B",
            "rejected": "one by A", "chosen_system": "bea", "rejected_system": "ada", "votes_chosen": 2,
            "votes_rejected": 1, "votes_tied": 0,
        },
    ]  # fmt: skip
    assert list(tie_lines(study)) == [
        {
            "question": "better", "item": "two", "prompt": "Do it.\n\ndocument two", "first": "two by A",
            "second": "two by B", "first_system": "ada", "second_system": "bea", "votes_first": 1, "votes_second": 1,
            "votes_tied": 0,
        },
        {
            "question": "better", "item": "two", "prompt": "Do it.\n\ndocument two", "first": "two by B",
            "second": "two by C", "first_system": "bea", "second_system": "cyd", "votes_first": 0, "votes_second": 1,
            "votes_tied": 2,
        },
    ]  # fmt: skip


def test_ranks_vote_on_each_two_outputs(answered):
    order = {"key": "order", "type": "rank", "ranks": 3}
    study = answered("listwise", [order], [
        ranked("one", "r1", {"ada": 1, "bea": 2, "cyd": 3}), ranked("one", "r2", {"ada": 2, "bea": 1, "cyd": 3}),
        ranked("one", "r3", {"ada": 1, "bea": 1, "cyd": 2}),
    ])  # fmt: skip
    assert preferred(study) == {("one", "ada", "cyd"): [3, 0, 0], ("one", "bea", "cyd"): [3, 0, 0]}
    assert tied(study) == {("one", "ada", "bea"): [1, 1, 1]}


def test_the_best_beats_what_was_shown_and_the_worst_loses_to_it(answered):
    extremes = {"key": "ends", "type": "best_worst"}
    study = answered("listwise", [extremes], [
        ranked("one", "r1", {"best": "bea", "worst": "cyd"}, "ends"),
        ranked("two", "r1", {"best": "bea", "worst": "dan"}, "ends", shown=["ada", "bea", "dan"]),
    ], systems=("ada", "bea", "cyd", "dan"))  # fmt: skip
    assert set(preferred(study)) == {
        ("one", "bea", "ada"), ("one", "bea", "cyd"), ("one", "bea", "dan"), ("one", "ada", "cyd"),
        ("one", "dan", "cyd"), ("two", "bea", "ada"), ("two", "bea", "dan"), ("two", "ada", "dan"),
    }  # fmt: skip
    assert tied(study) == {}


GIVEN = [
    likert("one", "ada", "r1", 5), likert("one", "bea", "r1", 3), likert("one", "cyd", "r1", 3),
    likert("one", "ada", "r2", 2), likert("one", "bea", "r2", 1), likert("two", "ada", "r1", 1),
    likert("two", "bea", "r2", 5),
]  # fmt: skip


@pytest.mark.parametrize(("better", "first"), [("high", "ada"), ("low", "bea")])
def test_values_make_pairs_if_the_question_says_which_end_is_better(answered, better, first):
    study = answered("rating", [{**ORDERED, "better": better}], GIVEN)
    second = "bea" if first == "ada" else "ada"
    other = ("one", "ada", "cyd") if better == "high" else ("one", "cyd", "ada")
    assert preferred(study) == {("one", first, second): [2, 0, 0], other: [1, 0, 0]}
    assert tied(study) == {("one", "bea", "cyd"): [0, 0, 1]}


def test_values_of_a_question_that_does_not_order_outputs_make_no_pairs(answered):
    study = answered("rating", [ORDERED], GIVEN)
    assert [*preference_lines(study), *tie_lines(study)] == []


def test_better_must_name_an_end_of_the_scale(answered):
    with pytest.raises(ImportRefusedError, match="better must be high or low"):
        answered("rating", [{**ORDERED, "better": "up"}], [])


def test_a_blinded_study_shows_codes(answered):
    study = answered("pairwise", [BETTER], [chosen("one", ["ada", "bea"], "r1", "bea")],
                     options={"blind_researchers": True})  # fmt: skip
    (line,) = preference_lines(study)
    assert (line["chosen"], line["rejected"]) == ("one by B", "one by A")
    for key in ("chosen_system", "rejected_system"):
        assert line[key].startswith("System ")


@pytest.mark.thorough
def test_pandalm_has_a_line_per_pair(reference_data):
    study = import_study(reference_data / "pandalm").study
    pairs, ties = list(preference_lines(study)), list(tie_lines(study))
    assert len(pairs) + len(ties) == 999
    assert all(line["votes_chosen"] + line["votes_rejected"] + line["votes_tied"] == 3 for line in pairs)
    assert min(line["votes_chosen"] for line in pairs) == 2  # of three votes, one alone is never the most
