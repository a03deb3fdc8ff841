"""Turns of sessions as training examples."""

import pytest

from parts.datasets.revision_examples import turn_lines
from parts.datasets.unit_labels import aggregated_lines
from tests.reports.worked_sessions import folder, models, rate_again, session, study, worked  # noqa: F401


def test_a_turn_has_the_conversation_before_it_and_the_answer_to_learn(worked, session):  # noqa: F811
    lines = list(turn_lines(worked))
    assert len(lines) == 5
    shorter, price, winter = (line for line in lines if line["session"] == session.key)
    turns = {turn.number: turn for turn in session.turns.all()}
    assert [line["turn"] for line in (shorter, price, winter)] == [1, 2, 3]
    assert shorter["conversation"] == [
        {"role": "user", "content": session.item.content["question"]},
        {"role": "assistant", "content": turns[0].answer},
    ]
    assert price["conversation"] == [
        *shorter["conversation"],
        {"role": "user", "content": "Shorter."},
        {"role": "assistant", "content": turns[1].answer},
    ]
    assert (price["instruction"], price["kind"], price["answer"]) == (
        "What does it cost?", "information", turns[2].answer,
    )  # fmt: skip
    assert price["previous_answer"] == turns[0].answer  # the bad answer was not used
    assert (price["target"], price["edited"], price["rating"]) == ("By hand.", True, "neutral")
    assert (winter["target"], winter["edited"], winter["rating"]) == (turns[3].answer, False, "good")
    assert "target" not in shorter
    assert "edited" not in shorter
    assert (shorter["other_ratings"], winter["other_ratings"]) == (["neutral"], ["good", "bad"])
    assert "other_ratings" not in price
    assert price["passages"] == turns[2].passages
    assert "passages" not in shorter
    assert all(line["model"] == session.model for line in (shorter, price, winter))


@pytest.mark.thorough
def test_labels_of_turns_name_session_and_turn(worked, session):  # noqa: F811
    for name, value in (("second", "neutral"), ("third", "good")):
        rate_again(session, 2, name, value, guidelines_version=1)
    found = {(line["session"], line["turn"]): line for line in aggregated_lines(worked) if line["question"] == "rating"}
    second, third = found[session.key, 2], found[session.key, 3]
    assert (second["raters"], second["majority"], second["agreement"]) == (3, "neutral", 0.666667)
    assert third["raters"] == 1  # the others were shown no version of the guidelines
    assert "item" not in second
    assert "output" not in second
