"""Argilla's records, nested and as columns, with settings and without."""

import pytest
from django.core.management import CommandError

from tests.parts.other_tools.conftest import questions_of, ratings_of

pytestmark = pytest.mark.quick


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


def flat(key, ranks, **more):
    """A record as columns of version 2, in which fields and metadata have plain names alike."""
    ranked = [
        [{"value": name, "rank": rank} for name, rank in zip(("response_a", "response_b"), own, strict=True)]
        for own in ranks
    ]
    return {
        "id": key,
        "status": "pending",
        "_server_id": None,
        "prompt": "Write.",
        "response_a": "A.",
        "response_b": "B.",
        "order.responses": ranked,
        "order.responses.status": ["submitted"] * len(ranks),
        "order.responses.users": [f"u{n}" for n in range(len(ranks))],
        **more,
    }


def test_a_text_that_nobody_ranked_is_no_system(written, moved):
    study, _ = moved("argilla", written("train.jsonl", [flat("r1", [(1, 2), (2, 1)], topic="law", year=2026)]))
    item = study.items.get()
    assert [output.key for output in item.outputs.order_by("position")] == ["response_a", "response_b"]
    assert (item.instruction, item.metadata) == ("Write.", {"topic": "law", "year": 2026})


def test_of_two_texts_a_person_says_which_is_judged_or_the_settings_do(written, moved):
    body = {
        "id": "r1",
        "reply": "It rains.",
        "topic": "weather",
        "tone.responses": ["a", "b"],
        "tone.responses.users": ["u1", "u2"],
        "tone.responses.status": ["submitted"] * 2,
    }
    file = written("train.jsonl", [body])
    with pytest.raises(CommandError, match=r"is about one of 2 texts.*--shows tone=FIELD \(fields: reply, topic\)"):
        moved("argilla", file)
    settings = written(
        "settings.json",
        {
            "fields": [{"name": "reply"}],
            "questions": [
                {"name": "tone", "settings": {"type": "label_selection", "options": [{"value": "a"}, {"value": "b"}]}},
            ],
        },
    )
    study, _ = moved("argilla", settings, file)
    item = study.items.get()
    assert ([output.key for output in item.outputs.all()], item.metadata) == (["reply"], {"topic": "weather"})


def test_spans_are_in_the_field_of_the_settings_or_of_their_quotes(written, moved):
    questions = [
        {"name": name, "settings": {"type": "span", "field": field, "options": [{"value": "X"}]}}
        for name, field in (("in_prompt", "prompt"), ("in_reply", "reply"))
    ]
    settings = written("settings.json", {"fields": [{"name": "prompt"}, {"name": "reply"}], "questions": questions})
    spans = {
        "in_prompt": [by("u1", [{"start": 0, "end": 5, "label": "X"}]), by("u2", [])],
        "in_reply": [by("u1", [{"start": 0, "end": 2, "label": "X"}])],
    }
    file = written("records.json", [record("r1", spans, prompt="Write.", reply="It rains.")])
    study, _ = moved("argilla", settings, file)
    marked = {
        (question, rater): [(span["output"], span["text"]) for span in value["spans"]] or value["none"]
        for _, rater, question, value in ratings_of(study)
    }
    assert marked == {
        ("in_prompt", "u1"): [("prompt", "Write")],
        ("in_prompt", "u2"): ["prompt"],
        ("in_reply", "u1"): [("reply", "It")],
    }


def test_spans_that_may_be_in_either_text_are_asked_for(written, moved):
    spans = {"marks": [by("u1", [{"start": 0, "end": 2, "label": "X"}])]}
    file = written("records.json", [record("r1", spans, one="One.", two="Two.")])
    with pytest.raises(CommandError, match=r"--shows marks=FIELD \(fields: one, two\)"):
        moved("argilla", file)
    study, _ = moved("argilla", file, shows=[("marks", "two")])
    assert [value["spans"][0]["text"] for *_, value in ratings_of(study)] == ["Tw"]


def test_ranked_names_that_are_no_fields_are_asked_for(written, moved):
    ranked = [{"value": "first", "rank": 2}, {"value": "second", "rank": 1}]
    file = written("records.json", [record("r1", {"order": [by("u1", ranked)]}, one="One.", two="Two.")])
    with pytest.raises(CommandError, match='ranks "first", which is no text of the record: name the field'):
        moved("argilla", file)
    study, _ = moved("argilla", file, shows=[("first", "two"), ("second", "one")])
    assert ratings_of(study) == [("r1", "u1", "order", {"two": 2, "one": 1})]


COLUMNS_1 = {
    "prompt": "Write.",
    "response": "It rains.",
    "external_id": None,
    "metadata": '{"split": "train"}',
    "quality": [
        {"user_id": "u1", "value": 4, "status": "submitted"},
        {"user_id": "u2", "value": 2, "status": "discarded"},
    ],
    "quality-suggestion": 5,
    "quality-suggestion-metadata": {"type": "model", "score": 0.5, "agent": "tagger"},
    "topics": [
        {"user_id": "u1", "value": ["sea", "land"], "status": "submitted"},
        {"user_id": "u2", "value": [], "status": "submitted"},
    ],
    "topics-suggestion": None,
    "topics-suggestion-metadata": {"type": None, "score": None, "agent": None},
    "marks": [
        {"user_id": "u1", "value": {"start": [3], "end": [8], "label": ["X"], "text": ["rains"]}, "status": "submitted"}
    ],
    "marks-suggestion": None,
    "marks-suggestion-metadata": {"type": None, "score": None, "agent": None},
}


def test_columns_of_version_1_are_read(written, moved):
    study, said = moved("argilla", written("train.jsonl", [COLUMNS_1]))
    marked = {"output": "response", "start": 3, "end": 8, "text": "rains", "label": "X"}
    assert ratings_of(study) == sorted(
        [
            ("line-1", "u1", "quality", 4),
            ("line-1", "tagger", "quality", 5),
            ("line-1", "u1", "topics", ["sea", "land"]),
            ("line-1", "u2", "topics", []),
            ("line-1", "u1", "marks", {"spans": [marked], "none": []}),
        ],
        key=repr,
    )
    assert study.items.get().metadata == {"split": "train"}
    assert "1: discarded responses." in said


def test_nested_records_of_version_1_are_read(written, moved):
    body = {
        "fields": {"prompt": "Write.", "response": "It rains."},
        "metadata": {},
        "external_id": "r1",
        "responses": [
            {"user_id": "u1", "status": "submitted", "values": {"tone": {"value": "a"}}},
            {"user_id": "u2", "status": "submitted", "values": {"tone": {"value": "b"}}},
        ],
        "suggestions": [{"question_name": "tone", "value": "b", "agent": "tagger", "type": "model", "score": 1.0}],
    }
    study, _ = moved("argilla", written("records.json", [body]))
    assert ratings_of(study) == [("r1", "tagger", "tone", "b"), ("r1", "u1", "tone", "a"), ("r1", "u2", "tone", "b")]


def test_suggestions_that_are_numbers_of_labels_are_left_out(written, moved):
    body = {
        "id": "r1",
        "text": "It rains.",
        "tone.responses": ["a", "b"],
        "tone.responses.users": ["u1", "u2"],
        "tone.responses.status": ["submitted"] * 2,
        "tone.suggestion": 1,
        "tone.suggestion.agent": "m",
    }
    study, said = moved("argilla", written("train.jsonl", [body]))
    assert ratings_of(study) == [("r1", "u1", "tone", "a"), ("r1", "u2", "tone", "b")]
    assert "1: suggestions that are numbers of labels." in said
