"""Potato's annotated instances and user states."""

import pytest
from django.core.management import CommandError

from tests.parts.other_tools.conftest import questions_of, ratings_of


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


CONFIG = """
item_properties: {id_key: id, text_key: text}
data_files: [data/items.jsonl]
annotation_schemes:
- {annotation_type: pairwise, name: better, description: Which?, items_key: text, labels: [Left one, Right one]%s}
- {annotation_type: pairwise, name: degree, description: How much?, mode: scale, scale: {min: -2, max: 2}}
- {annotation_type: ranking, name: order, description: Rank, labels: [Left one, Right one]}
- {annotation_type: likert, name: hard, description: Hard?, size: 7, min_label: a, max_label: b}
"""
PAIRS = [{"id": f"i{n}", "text": [f"One {n}.", f"Two {n}."], "prompt": "Write."} for n in (1, 2)]


def stored(user, orders=None, **labels):
    answers = {
        key: [[{"schema": schema, "name": name}, value] for schema, (name, value) in own.items()]
        for key, own in labels.items()
    }
    return {
        "user_id": user,
        "instance_id_ordering": ["i1", "i2"],
        "instance_id_to_label_to_value": answers,
        "instance_id_to_presentation_order": orders or {},
        "instance_id_to_span_to_value": {},
    }


@pytest.fixture
def project(written, tmp_path):
    """A function that writes the folder of a project: configuration, items, states of users and an export."""

    def write(states, shuffled=False):
        written("p/data/items.jsonl", PAIRS)
        (tmp_path / "p" / "config.yaml").write_text(CONFIG % (", randomize_order: true" if shuffled else ""))
        for body in states:
            written(f"p/annotation_output/{body['user_id']}/user_state.json", body)
            written(
                f"p/annotation_output/{body['user_id']}/annotation_history.jsonl",
                [
                    {"action_id": "a", "instance_id": "i1", "user_id": body["user_id"], "action_type": "add_label"},
                ],
            )
        written(
            "p/annotation_output/exports/jsonl/annotations.jsonl",
            [
                {
                    "instance_id": "i1",
                    "user_id": "ann",
                    "labels": {"better": {"selection": "A"}, "hard": {"3": "3"}},
                    "spans": {},
                    "links": {},
                },
            ],
        )
        return tmp_path / "p"

    return write


def test_comparisons_of_a_project_are_about_the_texts_and_not_the_prompt(project, moved):
    labels = {
        "i1": {
            "better": ("selection", "A"),
            "degree": ("scale_value", "-2"),
            "order": ("rank_order", "Right one,Left one"),
            "hard": ("3", "3"),
        },
        "i2": {"better": ("selection", "tie")},
    }
    study, said = moved("potato", project([stored("ann", **labels)]))
    assert study.protocol == "pairwise"
    assert questions_of(study) == {
        "better": ("preference", {}),
        "degree": ("likert", {"min": -2, "max": 2}),
        "order": ("preference", {}),
        "hard": ("likert", {"min": 1, "max": 7}),
    }
    assert ratings_of(study) == sorted(
        [
            ("i1", "ann", "better", "text-1"),
            ("i1", "ann", "degree", -2),
            ("i1", "ann", "order", "text-2"),
            ("i1", "ann", "hard", 3),
            ("i2", "ann", "better", "tie"),
        ],
        key=repr,
    )
    item = study.items.get(key="i1")
    assert (item.instruction, [one.text for one in item.outputs.order_by("position")]) == (
        "Write.",
        ["One 1.", "Two 1."],
    )
    assert "left, text-1, chosen: One 1." in said
    assert "1: file annotation_history.jsonl, which says nothing more." in said


def test_the_folder_of_answers_alone_lacks_the_texts(project, moved):
    folder = project([stored("ann", i1={"better": ("selection", "A")})])
    with pytest.raises(CommandError, match=r"i1\.better: is about a record that has no text: name its file of texts"):
        moved("potato", folder / "annotation_output")


def test_an_order_that_was_drawn_says_which_text_was_a(project, moved):
    labels = {
        "i1": {"better": ("selection", "A"), "degree": ("scale_value", "-2")},
        "i2": {"better": ("selection", "B")},
    }
    orders = {"i1": {"better": [1, 0], "degree": [1, 0]}, "i2": {"better": [0, 1]}}
    study, _ = moved("potato", project([stored("ann", orders, **labels)], shuffled=True))
    assert ratings_of(study, "shown") == [
        ("i1", "ann", "better", "text-2", ["text-2", "text-1"]),
        ("i1", "ann", "degree", 2, ["text-2", "text-1"]),
        ("i2", "ann", "better", "text-2", ["text-1", "text-2"]),
    ]


def test_an_export_without_the_order_that_was_drawn_is_refused(project, moved):
    folder = project([], shuffled=True)
    export = folder / "annotation_output" / "exports" / "jsonl" / "annotations.jsonl"
    with pytest.raises(CommandError, match=r"was shown in random order, which only user_state\.json has"):
        moved("potato", folder / "config.yaml", folder / "data" / "items.jsonl", export)


def test_exports_are_read_and_without_the_configuration_sides_are_asked_for(project, moved, tmp_path):
    folder = project([])
    items, export = (
        folder / "data" / "items.jsonl",
        folder / "annotation_output" / "exports" / "jsonl" / "annotations.jsonl",
    )
    with pytest.raises(CommandError, match=r"do not say which text was A.*--sides better=LEFT,RIGHT"):
        moved("potato", items, export)
    table = tmp_path / "annotations.csv"
    table.write_text("instance_id,user_id,better.selection,hard.3\ni1,ann,A,3\n")
    for files in ([folder / "config.yaml", items, export], [folder / "config.yaml", items, table]):
        study, _ = moved("potato", *files)
        assert ratings_of(study) == [("i1", "ann", "better", "text-1"), ("i1", "ann", "hard", 3)]
        erase(study, tmp_path)
    study, _ = moved("potato", items, export, sides=[("better", ("text-2", "text-1"))])
    assert ratings_of(study)[0] == ("i1", "ann", "better", "text-2")


@pytest.mark.parametrize("sides", [("zeta", "alpha"), ("alpha", "zeta")])
def test_a_scale_between_two_named_texts_counts_from_the_left_one(written, moved, sides):
    data = written("data.jsonl", [{"id": "i1", "zeta": "First text here.", "alpha": "Second text here."}])
    answer = {"instance_id": "i1", "user_id": "ann", "labels": {"degree": {"scale_value": "-2"}}}
    study, _ = moved("potato", data, written("export/annotations.jsonl", [answer]), sides=[("degree", sides)])
    assert [value for *_, value in ratings_of(study)] == [sides[0], -2]


def erase(study, tmp_path):
    """Make room for the same study again."""
    study.slug = f"earlier-{study.pk}"
    study.save()
    (tmp_path / "moved").rename(tmp_path / study.slug)


def test_a_machine_that_annotated_is_no_person(written, moved):
    data = written("data.jsonl", [{"id": "i1", "text": "It rains."}, {"id": "i2", "text": "It is dry."}])
    lines = [
        {"instance_id": "i1", "user_id": "ann", "annotator_origin": {"kind": "human"}, "labels": {"tone": {"a": True}}},
        {"instance_id": "i1", "user_id": "m", "annotator_origin": {"kind": "llm"}, "labels": {"tone": {"b": True}}},
    ]
    study, _ = moved("potato", data, written("export/annotations.jsonl", lines))
    assert ratings_of(study, "rater__kind") == [("i1", "ann", "tone", "a", "human"), ("i1", "m", "tone", "b", "model")]


def test_best_and_worst_of_a_tuple_are_its_texts(written, moved):
    tuple_ = [{"source_id": f"s{n}", "text": f"Text {n}.", "position": letter} for n, letter in enumerate("ABC")]
    data = written("data.jsonl", [{"id": "t1", "text": "", "_bws_items": tuple_}])
    state = written(
        "ann/user_state.json",
        {
            "user_id": "ann",
            "instance_id_to_label_to_value": {
                "t1": [[{"schema": "bws", "name": "best"}, "C"], [{"schema": "bws", "name": "worst"}, "A"]],
            },
        },
    )
    study, _ = moved("potato", data, state)
    assert (study.protocol, questions_of(study)) == ("listwise", {"bws": ("best_worst", {})})
    assert ratings_of(study) == [("t1", "ann", "bws", {"best": "s2", "worst": "s0"})]


def test_answers_that_two_files_have_count_once(written, moved):
    one = written("out/ann/annotated_instances.jsonl", [instance("i1", {"tone": {"plain": "true"}})])
    two = written(
        "out/ann/more/annotated_instances.jsonl",
        [
            {**instance("i1", {"tone": {"plain": "true"}}), "user_id": "ann"},
        ],
    )
    three = written(
        "out/ann/other/annotated_instances.jsonl",
        [
            {**instance("i1", {"tone": {"warm": "true"}}), "user_id": "ann"},
        ],
    )
    study, said = moved("potato", one, two)
    assert ratings_of(study) == [("i1", "ann", "tone", "plain")]
    assert "1: answers that another file has, too." in said
    with pytest.raises(CommandError, match=r'tone: differs from the answer of "ann" in ann/annotated_instances\.jsonl'):
        moved("potato", one, three)
