"""Runs that rate the turns of sessions: their units, examples and rows."""

import json
import re

import pytest

from annotation.models import Rating
from files.reading import add_to_study
from judges.configuration import ConfigurationRefusedError
from judges.models import Judgment
from judges.run_states import start_run
from judges.turn_split import TEST, TRAINING, TurnSplit
from judges.units import planned_units
from llm.models import Call
from sessions.turn_variants import named_turn
from tests.fewer import first_cases
from tests.judges.rated_sessions import rated_sessions, session_line
from tests.judges.scripted_judges import configured, run_to_end, work_off

pytestmark = pytest.mark.django_db
ASK = {"protocol": "session_rating", "questions": ("rating",), "model": "campus/free"}


@pytest.fixture
def rated(tmp_path, owner):
    return rated_sessions(tmp_path / "rated", owner)


def part_of(variant, **split):
    session, number = named_turn(variant)
    return TurnSplit(**split).part(session.partition("-")[2], session, number)


def shown_in(call):
    """The sessions of the examples and of the judged turn that a call's prompt shows, by instruction."""
    said = "\n".join(message["content"] for message in call.messages)
    return re.findall(r"In (\w+-q\d+)\.", said)


@pytest.mark.thorough
def test_all_turns_are_rated_and_the_ratings_are_labels_of_the_question(rated, owner, model):
    run = run_to_end(rated, owner, **ASK)
    assert (run.status, run.counts) == ("finished", {"valid": 48})
    rows = Rating.objects.filter(rater=run.rater)
    assert {(row.question.key, row.level, row.run, row.output_id) for row in rows} == {("rating", "nominal", "1", None)}
    assert len({row.variant for row in rows}) == 48
    assert {row.value for row in rows} == {"good", "bad"}
    assert not any("It did." in request.text() or "Only half" in request.text() for request in model.asked)
    edited = next(request.text() for request in model.asked if "Remove the last sentence" in request.text())
    assert "ann-q0 edited." in edited
    assert "ann-q0 answer 3." in edited
    assert "ann-q0 answer 2." not in edited


@pytest.mark.thorough
def test_two_way_and_three_way_and_numbers_of_examples_are_raters_of_their_own(rated, owner, model):
    runs = [run_to_end(rated, owner, options=options, **ASK) for options in (
        {}, {"ratings": "three-way"}, {"examples": 1}, {"examples": 10}, {"examples": 10, "split_seed": 5},
    )]  # fmt: skip
    assert {run.status for run in runs} == {"finished"}
    assert len({run.rater_id for run in runs}) == 5
    assert set(Rating.objects.filter(rater=runs[1].rater).values_list("value", flat=True)) == {"good", "neutral", "bad"}
    digests = [set(Rating.objects.filter(rater=run.rater).values_list("prompt_digest", flat=True)) for run in runs]
    assert digests[0] == digests[2] == digests[3] != digests[1]
    again = run_to_end(rated, owner, options={"examples": 10}, **ASK)
    assert (again.rater_id, again.name) == (runs[3].rater_id, "2")


@pytest.mark.parametrize("split", first_cases(["turn", "session", "item"]))
def test_examples_are_training_turns_of_other_sessions_and_only_the_test_part_is_judged(rated, owner, model, split):
    options = {"examples": 10, "split_by": split, "split_seed": 2, "training": 0.5, "validation": 0.1}
    run = run_to_end(rated, owner, options=options, **ASK)
    judged = {one.work_name: one for one in Judgment.objects.filter(run=run)}
    how = {"by": split, "training": 0.5, "validation": 0.1, "seed": 2}
    assert judged
    assert {part_of(one.variant, **how) for one in judged.values()} == {TEST}
    for call in Call.objects.filter(study=rated, run__endswith="/1"):
        *examples, own = shown_in(call)
        assert own == named_turn(judged[call.work].variant)[0]
        assert len(examples) == 10
        assert own not in examples
        if split == "item":
            assert not {one.partition("-")[2] for one in examples} & {own.partition("-")[2]}
        if split != "turn":
            assert {part_of(f"turn:{one}:1", **how) for one in examples} == {TRAINING}
    assert run.counts == {"valid": len(judged)}


def test_the_most_similar_instruction_comes_last(rated, owner, model):
    run_to_end(rated, owner, options={"examples": 3, "test_only": True}, **ASK)
    for call in Call.objects.filter(study=rated):
        found = re.findall(r"(Make|Add|Remove) [^\n]*\. In ", "\n".join(one["content"] for one in call.messages))
        assert found[-1] == found[-2]


def test_the_test_part_can_be_judged_without_examples(rated, owner, model):
    judged = [
        [unit.variant for unit in planned_units(rated, configured(rated, options=options, **ASK))]
        for options in ({"test_only": True}, {"examples": 1}, {})
    ]
    assert judged[0] == judged[1]
    assert 0 < len(judged[0]) < len(judged[2]) == 48


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"examples": 50}, "fewer than the 50 examples"),
        ({"examples": 1, "training": 0.0}, "fewer than the 1 examples"),
        ({"test_only": True, "training": 0.999, "validation": 0.0}, "test part is empty"),
    ],
)  # fmt: skip
def test_a_split_without_enough_turns_is_refused_in_a_sentence(rated, model, options, reason):
    with pytest.raises(ConfigurationRefusedError, match=reason):
        list(planned_units(rated, configured(rated, options=options, **ASK)))


def test_a_study_without_sessions_has_no_turns_to_judge(study, model):
    with pytest.raises(ConfigurationRefusedError, match="must have good, bad among"):
        configured(study, **{**ASK, "questions": ("how_well",)})


@pytest.mark.thorough
def test_turns_made_after_the_start_of_a_run_are_no_examples(rated, owner, model, tmp_path):
    options = {"examples": 10, "split_by": "session", "training": 0.5}
    run = start_run(rated, configured(rated, options=options, **ASK), owner)
    later = tmp_path / "sessions.jsonl"
    later.write_text(
        "".join(json.dumps(session_line("q0", f"late-q{place}", f"r{place}")) + "\n" for place in range(20))
    )
    add_to_study(rated, {"sessions": later}, owner)
    work_off(run)
    examples = [name for call in Call.objects.filter(study=rated) for name in shown_in(call)[:-1]]
    assert len(examples) == 10 * run.counts["valid"] > 0
    assert not any(name.startswith("late") for name in examples)
    again = run_to_end(rated, owner, options=options, **ASK)
    judged = {one.work_name for one in Judgment.objects.filter(run=again)}
    assert "In late-q" in "".join(str(call.messages) for call in Call.objects.filter(work__in=judged))
