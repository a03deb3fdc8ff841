"""What conversions of all tools have in common: study files, refusals, and files that nobody wrote."""

import json

import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.models import Rating
from files.reading import ImportRefusedError, import_study
from parts.other_tools.converting import converted, recognised, slug_of, write_conversion
from parts.other_tools.other_tool import other_tools
from parts.other_tools.tool_files import read_tool_file
from tests.files.reading.json_values import VALUES, places, replaced
from tests.parts.other_tools.conftest import ratings_of

LINE = {"id": 1, "text": "It rains.", "label": ["wet"]}
EXAMPLES = {
    "label-studio": {
        "id": 1, "data": {"text": "It rains."}, "predictions": [],
        "annotations": [{
            "id": 1, "completed_by": 1, "lead_time": 1.5, "updated_at": "2026-03-01T10:00:00Z",
            "result": [
                {"from_name": "a", "to_name": "text", "type": "choices", "value": {"choices": ["wet"]}},
                {"from_name": "b", "to_name": "text", "type": "labels",
                 "value": {"start": 0, "end": 2, "text": "It", "labels": ["X"]}},
            ],
        }],
    },
    "argilla": {
        "id": "r", "fields": {"text": "It rains."}, "metadata": {}, "suggestions": {},
        "responses": {"a": [{"value": 3, "user_id": "u"}], "b": [{"value": ["x", "y"], "user_id": "u"}]},
    },
    "potato": {
        "id": "i", "displayed_text": "It rains.", "label_annotations": {"a": {"wet": "true"}, "b": {"scale_2": "2"}},
        "span_annotations": [{"start": 0, "end": 2, "span": "It", "annotation": "X"}],
        "behavioral_data": {"time_string": "Time spent: 0d 0h 0m 1s "},
    },
    "doccano": {**LINE, "entities": [{"id": 1, "label": "X", "start_offset": 0, "end_offset": 2}]},
    "alpaca-eval": {
        "instruction": "Write.", "output_1": "A.", "generator_1": "ada", "output_2": "B.", "generator_2": "bea",
        "annotator": "judge", "preference": 1,
    },
    "mt-bench": {
        "question_id": 81, "model_a": "ada", "model_b": "bea", "winner": "model_a", "judge": "expert_1", "turn": 1,
        "conversation_a": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}],
        "conversation_b": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "B"}],
    },
}  # fmt: skip


def test_each_tool_recognises_its_own_files_alone(written):
    assert set(EXAMPLES) == set(other_tools())
    for key, body in EXAMPLES.items():
        for name in ("records.json", "records.jsonl"):
            assert recognised(read_tool_file(written(f"{key}/{name}", [body]))).key == key
    assert recognised(read_tool_file(written("else.json", [{"x": 1}]))) is None


def test_a_file_of_another_tool_is_refused(written, moved):
    with pytest.raises(CommandError, match=r"does not look like a file of Label Studio .*, but like one of doccano"):
        moved("label-studio", written("ann.jsonl", [LINE]))


def test_a_study_file_says_how_answers_are_read(written, moved, tmp_path):
    study = tmp_path / "mine.yaml"
    study.write_text(
        "slug: mine\nprotocol: rating\nredundancy: 2\nquestions:\n  - {key: label, type: binary, required: false}\n"
    )
    file = written("ann.jsonl", [
        {"id": 1, "text": "It rains.", "label": ["yes"], "Comments": ["Sure?"]}, {**LINE, "id": 2, "label": ["no"]},
    ])  # fmt: skip
    made, said = moved("doccano", file, study=study)
    assert made.slug == "mine"
    assert ratings_of(made) == [("1", "ann", "label", True), ("2", "ann", "label", False)]
    assert "1: answers to 'comments', which the study does not ask." in said
    with pytest.raises(CommandError, match='line 1: label: must be yes or no, not "wet"'):
        call_command("convert", "doccano", str(written("bob.jsonl", [LINE])), out=tmp_path / "other", study=study)


def test_an_existing_folder_is_left_alone(written, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(CommandError, match="full: exists: choose a new or empty folder"):
        call_command("convert", "doccano", str(written("ann.jsonl", [LINE])), out=tmp_path / "full")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]


def test_all_problems_are_reported_and_nothing_is_written(written, tmp_path):
    lines = [{**LINE, "id": number, "label": [[0, 99, "A"]]} for number in range(150)]
    with pytest.raises(CommandError) as refused:
        call_command("convert", "doccano", str(written("ann.jsonl", lines)), out=tmp_path / "out")
    said = str(refused.value).splitlines()
    assert said[0].startswith("ann.jsonl, line 1: label: marks 0 to 99")
    assert said[-2:] == ["and 50 more", "Nothing was written."]
    assert not (tmp_path / "out").exists()


def test_files_of_several_annotators_with_one_name_are_told_apart(written, moved):
    body = EXAMPLES["potato"]
    good, bad = written("ann/a.jsonl", [body]), written("bob/a.jsonl", [{**body, "span_annotations": 5}])
    with pytest.raises(CommandError, match=r"^bob/a\.jsonl, line 1: span_annotations"):
        moved("potato", good, bad)


@pytest.mark.parametrize(("name", "slug"), [("My Data!", "my-data"), ("---", "converted"), ("é" * 9, "converted")])
def test_slugs_are_made_from_names(name, slug):
    assert slug_of(name) == slug


@pytest.mark.parametrize("key", sorted(EXAMPLES))
@pytest.mark.django_db
def test_whatever_a_record_holds_is_moved_or_refused_with_its_place(key, tmp_path):
    """A record with any value in any place is a problem that names the file, or makes a folder that imports."""
    tool, example = other_tools()[key], EXAMPLES[key]
    known = [path for path in places(example) if path]

    @settings(max_examples=60, suppress_health_check=list(HealthCheck), database=None, derandomize=True)
    @given(st.data())
    def check(data):
        path, new = data.draw(st.sampled_from(known)), data.draw(VALUES)
        file = tmp_path / "fuzz.json"
        file.write_text(json.dumps([replaced(example, path, new)]))
        try:
            checked.append(converted(tool, [file], "fuzz"))
        except ImportRefusedError as refused:
            problems.extend(refused.problems)

    checked, problems = [], []
    check()
    assert {problem.file for problem in problems} == {"fuzz.json"}
    assert len(checked) > 2
    for number, done in enumerate(checked[:12]):
        out = tmp_path / str(number)
        done.made.body["slug"] = f"fuzz-{number}"
        write_conversion(done, out)
        (out / "study.json").write_text(json.dumps(done.made.body))
        study = import_study(out).study
        assert Rating.objects.filter(study=study).count() == len(done.made.ratings) + len(done.made.scores)
