"""Labels with definitions and examples."""

import pytest

from parts.papers.figures.labelled_examples import NO_DEFINITION, NO_TURN, LabelledTurn, labelled_examples

pytestmark = pytest.mark.quick
DEFINITIONS = {"condense": "Shorten it.", "remove": "Delete parts.", "others": "Anything else."}


def turns_of(counts):
    return [
        LabelledTurn(f"s{n % 7}", n, label, f"{label} number {n}", f"comment {n}")
        for label, count in counts.items()
        for n in range(count)
    ]


def test_each_label_has_its_share_its_definition_and_an_example_of_its_own():
    turns = turns_of({"condense": 30, "remove": 60, "others": 10})
    report = labelled_examples(turns, DEFINITIONS)
    assert [(name, one["n"], one["share"]) for name, one in report["labels"].items()] == [
        ("condense", 30, 0.3), ("remove", 60, 0.6), ("others", 10, 0.1),
    ]  # fmt: skip
    for name, one in report["labels"].items():
        assert one["definition"] == DEFINITIONS[name]
        example = one["example"]
        (turn,) = [turn for turn in turns if turn.instruction == example["instruction"]]
        assert (turn.label, turn.session, turn.number) == (name, example["session"], example["turn"])
        assert example["comment"] == turn.comment
    assert report["undefined"] == {}


def test_examples_depend_on_the_seed_but_not_on_the_order_of_turns():
    turns = turns_of({"condense": 50, "remove": 50})
    assert labelled_examples(turns, DEFINITIONS) == labelled_examples(turns[::-1], DEFINITIONS)
    seeds = [
        labelled_examples(turns, DEFINITIONS, seed=seed)["labels"]["remove"]["example"]["turn"] for seed in range(9)
    ]
    assert len(set(seeds)) > 3


def test_rare_labels_are_merged_and_keep_their_counts():
    turns = turns_of({"condense": 90, "remove": 4, "sort": 4, "others": 2})
    report = labelled_examples(turns, DEFINITIONS)
    assert list(report["labels"]) == ["condense", "others"]
    others = report["labels"]["others"]
    assert others["n"] == 10
    assert others["merged"] == {"remove": {"n": 4, "definition": "Delete parts."}, "sort": {"n": 4, "definition": None}}
    apart = labelled_examples(turns, DEFINITIONS, merge=False)
    assert list(apart["labels"]) == ["condense", "remove", "sort", "others"]
    assert apart["undefined"] == {"labels.sort.definition": NO_DEFINITION}


@pytest.mark.parametrize("merge", [True, False])
def test_a_label_without_a_turn_has_no_example(merge):
    report = labelled_examples(turns_of({"condense": 3}), DEFINITIONS, merge=merge)
    assert report["labels"]["remove"]["example"] is None
    assert report["labels"]["remove"]["share"] == 0
    assert report["undefined"]["labels.remove.example"] == NO_TURN
    assert labelled_examples([], {})["labels"] == {}
