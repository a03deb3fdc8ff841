"""Potato's annotated instances and user states."""

import pytest
from django.core.management import CommandError

from tests.annotation.importing.other_tools.conftest import questions_of, ratings_of


def instance(key, labels, spans=None, text="It rains.", time="Time spent: 0d 0h 1m 5s "):
    return {"id": key, "displayed_text": text, "label_annotations": labels, "span_annotations": spans or {},
            "behavioral_data": {"time_string": time}}  # fmt: skip


def test_instances_of_several_annotators_move_with_their_seconds(written, moved):
    one = written("out/ann@example.org/annotated_instances.jsonl", [
        instance("i1", {"tone": {"plain": "true"}, "polite": {"scale_4": "4"}, "why": {"text_box": "Short and dry."}},
                 [{"start": 3, "end": 8, "span": "rains", "annotation": "WEATHER"}]),
        instance("i2", {"tone": {"warm": "true"}}, text="It is dry."),
    ])  # fmt: skip
    two = written("out/bob/annotated_instances.jsonl", [
        instance("i1", {"tone": {"warm": "true"}, "polite": {"scale_2": "2"}}),
    ])  # fmt: skip
    study, _ = moved("potato", one, two)
    assert questions_of(study) == {
        "tone": ("category", {"choices": ["plain", "warm"]}), "polite": ("likert", {"min": 1, "max": 5}),
        "why": ("text", {}), "spans": ("spans", {"labels": ["WEATHER"]}),
    }  # fmt: skip
    marked = {"output": "text", "start": 3, "end": 8, "text": "rains", "label": "WEATHER"}
    ann = "ann@example.org"
    assert ratings_of(study, "seconds") == sorted([
        ("i1", ann, "tone", "plain", 65.0), ("i1", ann, "polite", 4, 65.0), ("i1", ann, "why", "Short and dry.", 65.0),
        ("i1", ann, "spans", {"spans": [marked], "none": []}, 65.0), ("i2", ann, "tone", "warm", 65.0),
        ("i1", "bob", "tone", "warm", 65.0), ("i1", "bob", "polite", 2, 65.0),
    ], key=repr)  # fmt: skip


def test_states_of_users_move_with_the_texts_of_the_data_file_and_the_order(written, moved):
    data = written("data.jsonl", [{"id": "i1", "text": "It rains."}, {"id": "i2", "text": "It is dry."}])
    state = written("out/ann/user_state.json", {
        "user_id": "ann", "instance_id_ordering": ["i2", "i1"],
        "instance_id_to_label_to_value": {
            "i1": [[{"schema": "tone", "name": "plain"}, True], [{"schema": "how", "name": "slider"}, "35"]],
            "i2": {"tone": {"labels": {"warm": True, "plain": False}}},
        },
        "instance_id_to_span_to_value": {"i1": [[{"schema": "ner", "name": "THING", "start": 0, "end": 2}, True]]},
        "phase_to_page_to_label_to_value": {"consent": {"page": [[{"schema": "ok", "name": "yes"}, True]]}},
        "instance_id_to_behavioral_data": {"i1": {"total_time_ms": 2500}},
    })  # fmt: skip
    study, said = moved("potato", data, state)
    assert "1: pages of surveys." in said
    marked = {"output": "text", "start": 0, "end": 2, "text": "It", "label": "THING"}
    assert ratings_of(study, "seconds", "metadata") == sorted([
        ("i1", "ann", "tone", "plain", 2.5, {"place": 2}), ("i1", "ann", "how", 35, 2.5, {"place": 2}),
        ("i1", "ann", "ner", {"spans": [marked], "none": []}, 2.5, {"place": 2}),
        ("i2", "ann", "tone", "warm", None, {"place": 1}),
    ], key=repr)  # fmt: skip


def test_states_without_texts_are_refused(written, moved):
    state = written("user_state.json", {"instance_id_to_label_to_value": {"i1": {"tone": {"plain": "true"}}}})
    with pytest.raises(CommandError, match="record i1: has no text to judge: name its file of texts"):
        moved("potato", state)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (instance("i1", {"tone": "plain"}), r"line 1: label_annotations: must be an object of objects"),
        (instance("i1", {"tone": {"plain": {"x": 1}}}), r"line 1: .*tone\.plain: has a value of an unknown shape"),
        (instance("i1", {}, [{"start": "a", "end": 2}]), r"line 1: span_annotations\.0: must be an object with start"),
        (instance("i1", {}, [{"start": 0, "end": 99, "annotation": "A"}]), "marks 0 to 99"),
        ({"label_annotations": {}}, "line 1: id: is missing"),
    ],
)
def test_what_is_not_understood_names_its_line(written, moved, line, message):
    with pytest.raises(CommandError, match=message):
        moved("potato", written("ann/annotated_instances.jsonl", [line]))
