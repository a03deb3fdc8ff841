"""Label Studio's JSON: choices, stars, texts, numbers, regions of texts, comparisons and rankings."""

import pytest
from django.core.management import CommandError

from annotation.models import Rating
from tests.annotation.importing.other_tools.conftest import questions_of, ratings_of

AT = "2026-03-01T10:00:00.000000Z"


def result(question, kind, value, to="text"):
    return {"id": "r", "from_name": question, "to_name": to, "type": kind, "value": value}


def annotation(by, *results, **more):
    return {"id": 1, "completed_by": by, "result": list(results), "was_cancelled": False, "created_at": AT,
            "updated_at": AT, "lead_time": 12.5, "ground_truth": False, **more}  # fmt: skip


def task(number, annotations, predictions=(), **data):
    return {"id": number, "data": data, "annotations": annotations, "predictions": list(predictions), "project": 3}


def test_answers_of_several_raters_move_with_their_times(written, moved):
    text = "The ferry \U0001f6a2 sails at nine."
    first = [
        annotation(7, result("tone", "choices", {"choices": ["plain"]}), result("stars", "rating", {"rating": 4}),
                   result("why", "textarea", {"text": ["Short.", "Clear."]}),
                   # Browsers count the ship as two.
                   result("names", "labels", {"start": 19, "end": 21, "text": "at", "labels": ["TIME"]})),
        annotation({"id": 8, "email": "x@example.org"}, result("tone", "choices", {"choices": ["warm"]})),
        annotation(9, was_cancelled=True),
    ]  # fmt: skip
    second = [annotation(7, result("tone", "choices", {"choices": ["warm"]}),
                         result("box", "rectanglelabels", {"x": 1, "y": 2, "rectanglelabels": ["A"]}))]  # fmt: skip
    machine = {"model_version": "tagger-2", "result": [result("tone", "choices", {"choices": ["plain"]})]}
    file = written("export.json", [
        task(1, first, [machine], text=text, source_url="https://example.org/1"), task(2, second, text="It rains."),
    ])  # fmt: skip
    study, said = moved("label-studio", file)
    assert study.protocol == "listwise"  # which can mark spans
    assert questions_of(study) == {
        "tone": ("category", {"choices": ["plain", "warm"]}), "stars": ("likert", {"min": 1, "max": 5}),
        "why": ("text", {}), "names": ("spans", {"labels": ["TIME"]}),
    }  # fmt: skip
    ship = text.index("sails at") + len("sails ")
    marked = {"output": "text", "start": ship, "end": ship + 2, "text": "at", "label": "TIME"}
    assert ratings_of(study, "seconds") == sorted([
        ("1", "user-7", "tone", "plain", 12.5), ("1", "user-7", "stars", 4, 12.5),
        ("1", "user-7", "why", "Short.\nClear.", 12.5),
        ("1", "user-7", "names", {"spans": [marked], "none": []}, 12.5),
        ("1", "user-8", "tone", "warm", 12.5), ("2", "user-7", "tone", "warm", 12.5),
        ("1", "tagger-2", "tone", "plain", None),
    ], key=repr)  # fmt: skip
    assert {one.submitted_at.isoformat() for one in Rating.objects.filter(rater__kind="human")} == {
        "2026-03-01T10:00:00+00:00"
    }
    assert study.items.get(key="1").metadata == {"source_url": "https://example.org/1"}
    assert "1: skipped answers." in said
    assert "1: results of type rectanglelabels." in said


def test_comparisons_become_a_study_of_pairs(written, moved):
    data = {"prompt": "Write.", "text1": "One.", "text2": "Two."}
    file = written("export.json", [
        task(5, [annotation(1, result("pw", "pairwise", {"selected": "right"}, "txt-1")),
                 annotation(2, result("pw", "pairwise", {"selected": "left"}, "txt-1"))], **data),
    ])  # fmt: skip
    study, _ = moved("label-studio", file)
    assert study.protocol == "pairwise"
    assert ratings_of(study) == [("5", "user-1", "pw", "text2"), ("5", "user-2", "pw", "text1")]
    assert study.items.get().instruction == "Write."


def test_rankings_become_a_listwise_study(written, moved):
    listed = [{"id": "a", "body": "One."}, {"id": "b", "body": "Two."}, {"id": "c", "title": "T", "body": "Three."}]
    file = written("export.json", [
        task(5, [annotation(1, result("rank", "ranker", {"ranker": {"best": ["c", "a", "b"]}}, "answers"),
                            result("hard", "rating", {"rating": 2}, "answers"))], prompt="Write.", answers=listed),
    ])  # fmt: skip
    study, _ = moved("label-studio", file)
    assert study.protocol == "listwise"
    assert ratings_of(study) == [
        ("5", "user-1", "hard", 2), ("5", "user-1", "rank", {"c": 1, "a": 2, "b": 3}),
    ]  # fmt: skip
    assert study.items.get().outputs.get(key="c").text == "T\nThree."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": "hologram"}, r"export\.json: record 1\.annotations\.0\.result\.0\.type: \"hologram\" is not a known"),
        ({"value": {"choices": "plain"}}, r"record 1\.annotations\.0\.result\.0\.value: must be a list of texts"),
        ({"value": None}, r"record 1\.annotations\.0\.result\.0\.value: is missing"),
        ({"type": "labels", "value": {"start": 2, "end": 5, "text": "xyz", "labels": ["A"]}}, "marks 2 to 5"),
    ],
)
def test_what_is_not_understood_names_its_record(written, moved, change, message):
    one = result("tone", "choices", {"choices": ["plain"]}) | change
    with pytest.raises(CommandError, match=message):
        moved("label-studio", written("export.json", [task(1, [annotation(7, one)], text="It rains.")]))


def test_a_text_that_is_judged_must_be_named_if_there_are_several(written, moved):
    file = written("export.json", [
        task(1, [annotation(7, result("stars", "rating", {"rating": 4}, "x"))], one="A.", two="B."),
    ])  # fmt: skip
    with pytest.raises(CommandError, match="is about one of 2 texts: name the field"):
        moved("label-studio", file)
    study, _ = moved("label-studio", file, outputs=["two"])
    assert [output.key for output in study.items.get().outputs.all()] == ["two"]
    assert study.items.get().metadata == {"one": "A."}
