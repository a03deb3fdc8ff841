"""doccano's JSONL of each kind of project, one file per annotator."""

import pytest
from django.core.management import CommandError

from tests.parts.other_tools.conftest import questions_of, ratings_of


def test_labels_of_several_annotators_move(written, moved):
    one = written("ann.jsonl", [
        {"id": 1, "text": "It rains.", "label": ["wet", "cold"], "Comments": ["Sure?"], "year": 2026},
        {"id": 2, "text": "It is dry.", "label": [], "Comments": []},
    ])  # fmt: skip
    two = written("bob.jsonl", [{"id": 1, "text": "It rains.", "label": ["wet"], "Comments": [], "year": 2026}])
    study, _ = moved("doccano", one, two)
    assert questions_of(study) == {
        "label": ("category", {"choices": ["cold", "wet"], "multiple": True}), "comments": ("text", {}),
    }  # fmt: skip
    assert ratings_of(study) == sorted([
        ("1", "ann", "label", ["wet", "cold"]), ("1", "bob", "label", ["wet"]), ("1", "ann", "comments", "Sure?"),
    ], key=repr)  # fmt: skip
    assert study.items.count() == 2
    assert study.items.get(key="1").metadata == {"year": 2026}


def test_spans_move_and_relations_are_counted(written, moved):
    plain = written("ann.jsonl", [{"id": 1, "text": "Ada met Bea.", "label": [[0, 3, "WHO"], [8, 11, "WHO"]]}])
    related = written("bob.jsonl", [{
        "id": 1, "text": "Ada met Bea.", "relations": [{"id": 1, "from_id": 3, "to_id": 4, "type": "met"}],
        "entities": [{"id": 3, "label": "WHO", "start_offset": 0, "end_offset": 3},
                     {"id": 4, "label": "WHO", "start_offset": 0, "end_offset": 2}],
    }])  # fmt: skip
    study, said = moved("doccano", plain, related)
    first = {"output": "text", "start": 0, "end": 3, "text": "Ada", "label": "WHO"}
    second = {"output": "text", "start": 8, "end": 11, "text": "Bea", "label": "WHO"}
    shorter = {"output": "text", "start": 0, "end": 2, "text": "Ad", "label": "WHO"}
    assert ratings_of(study) == sorted([
        ("1", "ann", "spans", {"spans": [first, second], "none": []}),
        ("1", "bob", "entities", {"spans": [shorter], "none": []}),
    ], key=repr)  # fmt: skip
    assert "1: relations." in said
    assert "1: spans that overlap another with the same label." in said


def test_texts_that_were_written_move(written, moved):
    said = ["Es regnet heute, und zwar den ganzen Tag lang.", "Heute regnet es."]
    file = written("ann.jsonl", [{"id": 1, "text": "It rains.", "label": said}])
    study, _ = moved("doccano", file)
    assert ratings_of(study) == [("1", "ann", "label", text) for text in sorted(said)]


def test_annotations_with_users_move(written, moved):
    file = written("export.jsonl", [
        {"id": 1, "text": "It rains.", "meta": {"year": 2026},
         "annotations": [{"label": 5, "user": 1}, {"label": 6, "user": 2}]},
    ])  # fmt: skip
    study, _ = moved("doccano", file)
    assert ratings_of(study) == [("1", "user-1", "annotations", "5"), ("1", "user-2", "annotations", "6")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"id": 1, "text": "It rains.", "label": [[0, "x", "A"]]}, r"line 1: label\.0: must be a label, or"),
        ({"id": 1, "text": "It rains.", "label": [[0, 99, "A"]]}, "line 1: label: marks 0 to 99"),
        ({"id": 1, "text": "It rains.", "label": "wet"}, "line 1: label: must be a list"),
        ({"id": 1, "filename": "a.png", "label": ["wet"]}, "line 1: filename: is a picture or a sound"),
        ({"id": 1, "label": ["wet"]}, "line 1: text: is missing"),
    ],
)
def test_what_is_not_understood_names_its_line(written, moved, line, message):
    with pytest.raises(CommandError, match=message):
        moved("doccano", written("ann.jsonl", [line]))


SHARED = [
    {"id": 7, "text": "It rains.", "label": ["yes", "yes"]},
    {"id": 8, "text": "It is dry.", "label": ["no", "yes"]},
]


def test_mixed_labels_of_several_people_are_asked_for(written, moved):
    file = written("project.jsonl", SHARED)
    with pytest.raises(
        CommandError, match=r"labels of several people without .*--rater project\.jsonl=NAME, or 'project"
    ):
        moved("doccano", file)
    with pytest.raises(CommandError, match="line 1: label: has a label twice, which one person cannot give: use"):
        moved("doccano", file, rater=[("project.jsonl", "ann")])
    study, _ = moved("doccano", file, rater=[("project.jsonl", "*")])
    assert ratings_of(study) == [
        ("7", "unnamed-1", "label", "yes"),
        ("7", "unnamed-2", "label", "yes"),
        ("8", "unnamed-1", "label", "no"),
        ("8", "unnamed-2", "label", "yes"),
    ]


def test_the_file_of_shared_annotations_names_nobody(written, moved):
    file = written(
        "all.jsonl", [{"id": 7, "text": "It rains.", "label": ["wet"]}, {"id": 8, "text": "Dry.", "label": ["dry"]}]
    )
    with pytest.raises(CommandError, match=r'turn off "Share annotations"'):
        moved("doccano", file)
    study, _ = moved("doccano", file, rater=[("all.jsonl", "ann")])
    assert ratings_of(study) == [("7", "ann", "label", "wet"), ("8", "ann", "label", "dry")]
