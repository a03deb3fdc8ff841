"""Argilla's records, nested and as columns, with settings and without."""

import pytest
from django.core.management import CommandError

from tests.annotation.importing.other_tools.conftest import questions_of, ratings_of


def record(key, responses, suggestions=None, **fields):
    return {"id": key, "fields": fields, "metadata": {"split": "train"}, "responses": responses,
            "suggestions": suggestions or {}, "vectors": {}, "_server_id": "s"}  # fmt: skip


def by(user, value):
    return {"value": value, "user_id": user}


def test_responses_of_several_users_and_suggestions_move(written, moved):
    file = written("records.json", [
        record("r1", {"quality": [by("u1", 4), by("u2", 5)], "tone": [by("u1", "plain"), by("u2", "warm")],
                      "topics": [by("u1", ["sea", "time"])], "comment": [by("u1", "It is clear. " * 9)],
                      "marks": [by("u2", [{"start": 4, "end": 9, "label": "THING"}])]},
               {"tone": {"value": "plain", "score": 0.9, "agent": "tagger"}},
               prompt="Write.", response="The ferry sails."),
        record("r2", {"tone": [by("u1", "warm")], "topics": [by("u2", ["sea"])]}, prompt="Again.", response="No."),
    ])  # fmt: skip
    study, _ = moved("argilla", file)
    assert study.protocol == "listwise"  # which can mark spans
    assert questions_of(study) == {
        "quality": ("likert", {"min": 1, "max": 5}), "tone": ("category", {"choices": ["plain", "warm"]}),
        "topics": ("category", {"choices": ["sea", "time"], "multiple": True}), "comment": ("text", {}),
        "marks": ("spans", {"labels": ["THING"]}),
    }  # fmt: skip
    marked = {"output": "response", "start": 4, "end": 9, "text": "ferry", "label": "THING"}
    assert ratings_of(study) == sorted([
        ("r1", "u1", "quality", 4), ("r1", "u2", "quality", 5), ("r1", "u1", "tone", "plain"),
        ("r1", "u2", "tone", "warm"), ("r1", "u1", "topics", ["sea", "time"]), ("r2", "u2", "topics", ["sea"]),
        ("r1", "u1", "comment", "It is clear. " * 9), ("r1", "u2", "marks", {"spans": [marked], "none": []}),
        ("r2", "u1", "tone", "warm"), ("r1", "tagger", "tone", "plain"),
    ], key=repr)  # fmt: skip
    item = study.items.get(key="r1")
    assert (item.instruction, item.metadata) == ("Write.", {"split": "train"})


def test_settings_say_what_questions_are(written, moved):
    settings = written("settings.json", {
        "fields": [{"name": "text"}], "guidelines": None,
        "questions": [
            {"name": "tone", "settings": {"type": "label_selection",
                                          "options": [{"value": "plain", "text": "Plain"}, {"value": "odd"}]}},
            {"name": "note", "settings": {"type": "text", "use_markdown": False}},
            {"name": "quality", "settings": {"type": "rating", "options": [{"value": n} for n in range(11)]}},
        ],
    })  # fmt: skip
    file = written("records.json", [
        record("r1", {"tone": [by("u1", "plain")], "note": [by("u1", "ok"), by("u2", "ok")], "quality": [by("u1", 3)]},
               text="It rains."),
    ])  # fmt: skip
    study, _ = moved("argilla", settings, file)
    assert questions_of(study) == {
        "tone": ("category", {"choices": ["plain", "odd"]}), "note": ("text", {}),
        "quality": ("likert", {"min": 0, "max": 10}),
    }  # fmt: skip


def test_columns_of_a_data_set_are_read_with_statuses(written, moved):
    file = written("train.jsonl", [
        {"id": "r1", "status": "completed", "_server_id": "s", "text": "It rains.", "tone.responses": ["a", "b", "a"],
         "tone.responses.users": ["u1", "u2", "u3"], "tone.responses.status": ["submitted", "submitted", "discarded"],
         "tone.suggestion": "b", "tone.suggestion.agent": None, "tone.suggestion.score": None,
         "metadata.year": 2026},
        {"id": "r2", "status": "pending", "_server_id": "s", "text": "It is dry.", "tone.responses": None,
         "tone.responses.users": None, "tone.responses.status": None, "tone.suggestion": None},
    ])  # fmt: skip
    study, said = moved("argilla", file)
    assert ratings_of(study) == [
        ("r1", "suggestions", "tone", "b"), ("r1", "u1", "tone", "a"), ("r1", "u2", "tone", "b"),
    ]  # fmt: skip
    assert study.items.count() == 2
    assert study.items.get(key="r1").metadata == {"year": 2026}
    assert "1: discarded responses." in said


def test_rankings_name_the_fields(written, moved):
    ranked = [{"value": "response_1", "rank": 2}, {"value": "response_2", "rank": 1}]
    file = written("records.json", [
        record("r1", {"order": [by("u1", ranked)]}, instruction="Write.", response_1="A.", response_2="B."),
    ])  # fmt: skip
    study, _ = moved("argilla", file)
    assert study.protocol == "listwise"
    assert ratings_of(study) == [("r1", "u1", "order", {"response_1": 2, "response_2": 1})]


@pytest.mark.parametrize(
    ("responses", "message"),
    [
        ({"tone": [{"value": "a"}]}, r"record 1\.responses\.tone\.0\.user_id: is missing"),
        ({"tone": [by("u1", {"a": 1})]}, r"record 1\.responses\.tone\.0: has a value of an unknown shape"),
        ({"tone": "a"}, r"record 1\.responses\.tone: must be a list of objects"),
        ({"order": [by("u1", [{"value": "other", "rank": 1}])]}, 'ranks "other", which is no text of the record'),
        ({"tone": [by("u1", 1), by("u2", [{"start": 0, "end": 1}])]}, "answers are of several kinds: spans, step"),
    ],
)
def test_what_is_not_understood_names_its_record(written, moved, responses, message):
    with pytest.raises(CommandError, match=message):
        moved("argilla", written("records.json", [record("r1", responses, text="It rains.")]))
