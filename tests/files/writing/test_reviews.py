"""`reviews.jsonl`: reviews under random names, which an import and another export reproduce byte by byte."""

import json
from datetime import UTC, datetime

import pytest

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import (
    Annotation,
    Assignment,
    DraftConflict,
    Guideline,
    Item,
    Membership,
    Output,
    Question,
    Rater,
    Rating,
    Reviewer,
    Slot,
    SpanReview,
    SpotCheck,
    Study,
    Task,
    TaskOutput,
)
from annotation.review.marked_spans import marked_spans
from annotation.review.spot_checks import acknowledge, check
from annotation.review.verdicts import review_span, undo_review
from annotation.studies.lifecycle import make_live
from annotation.studies.planning import plan_chunk
from config.erasure import open_erasure
from files.reading import ImportRefusedError, import_study
from files.writing import export_study
from tests.fewer import first_cases

TREE = (
    SpanReview, SpotCheck, Reviewer, Rating, Annotation, DraftConflict, Assignment, Slot, TaskOutput, Task, Output,
    Item, Rater, Membership, Question, Guideline, Study,
)  # fmt: skip
TEXTS = {"north": "👩‍👩‍👧 sails at 8.", "south": "It sails at nine."}
STUDY = {
    "slug": "ferries",
    "protocol": "listwise",
    "redundancy": 1,
    "questions": [
        {"key": "overall", "type": "rank", "ranks": 2},
        {"key": "errors", "type": "spans", "labels": ["time"]},
    ],
}


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def span(index=0, **more):
    return {"output": "north", "start": 15, "end": 16, "text": "8", "label": "time"} | more


@pytest.fixture
def source(tmp_path, db):
    """A study with an imported rating of spans."""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "study.json").write_text(json.dumps(STUDY), encoding="utf-8")
    outputs = [{"id": key, "text": text} for key, text in TEXTS.items()]
    items = [{"id": key, "document": "It sails at nine.", "outputs": outputs} for key in ("harbour", "island")]
    ratings = [
        {"item": "harbour", "rater": "Ada", "question": "errors", "value": {"spans": [span()], "none": ["south"]},
         "submitted_at": at}
        for at in ("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z")
    ]  # fmt: skip
    for name, rows in (("items", items), ("ratings", ratings)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


@pytest.fixture
def reviewed(source, owner, rater):
    """The same with an answer of a rater on the platform, and every kind of review."""
    study = import_study(source, owner=owner).study
    add_member(study, rater, "annotator", None)
    while plan_chunk(study):
        pass
    study.refresh_from_db()
    make_live(study, owner)
    assignment = next_assignment(study, rater_for(study, rater))
    letter = {output.key: output.letter for output in shown(assignment)}
    marks = [span(output=letter["north"]), span(output=letter["north"], start=6, end=11, text="sails")]
    form = {
        **{f"q-overall-{letter[key]}": [str(rank)] for key, rank in (("south", 1), ("north", 2))},
        "q-errors": [json.dumps({"spans": marks})],
        f"q-errors-{letter['south']}": ["none"],
    }
    answer = submit(assignment, Submission(form, revision=0))
    [own] = answer.ratings.filter(level="span")
    review_span(own, 0, "confirmed", "It is nine.", owner, number=0)
    review_span(own, 0, "rejected", "Eight is said\nelsewhere.", owner, number=1)
    undo_review(review_span(own, 1, "rejected", "It sails.", owner, number=0), owner)
    for one in Rating.objects.filter(study=study, annotation=None).order_by("submitted_at")[:1]:
        review_span(one, 0, "confirmed", "Nine.", owner, number=0)
    check(answer, "problem", "Look again.", owner, number=0)
    acknowledge(rater, study, list(SpotCheck.objects.values_list("pk", flat=True)))
    check(answer, "ok", "", owner, number=1)
    return study


def shown(assignment):
    from annotation.desk.submitting import sheet_of

    return sheet_of(assignment).outputs


def said_of(study):
    """Each span with its state and the number of its last review, whatever the primary keys."""
    return sorted((one.body["text"], one.state, one.number) for one in marked_spans(study))


def empty_the_database():
    with open_erasure("everything"):
        for model in TREE:
            model.objects.all().delete()


def test_export_import_export_gives_the_same_bytes_with_all_reviews(reviewed, tmp_path):
    export_study(reviewed, tmp_path / "first")
    before = said_of(reviewed)
    assert sorted(state for _, state, _ in before) == ["confirmed", "open", "open", "rejected"]
    empty_the_database()
    study = import_study(tmp_path / "first").study
    export_study(study, tmp_path / "second")
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")
    assert len(lines(tmp_path / "first" / "reviews.jsonl")) == 7
    assert said_of(study) == before
    assert import_study(tmp_path / "first").added["reviews"] == 0


def test_a_verdict_on_a_machines_span_stays_with_its_rerun(source, owner, tmp_path):
    line = {"item": "harbour", "rater": "finder", "rater_kind": "model", "question": "errors",
            "value": {"spans": [span()], "none": ["south"]}}  # fmt: skip
    reruns = [{**line, "run": "r1"}, {**line, "run": "r2"}, {**line, "run": "r2", "replicate": 1}]
    (source / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in reruns), encoding="utf-8")
    study = import_study(source, owner=owner).study
    for one, verdict in zip(Rating.objects.exclude(run="").order_by("pk"), ("rejected", "confirmed"), strict=False):
        review_span(one, 0, verdict, "Nine.", owner, number=0)
    export_study(study, tmp_path / "first")
    empty_the_database()
    export_study(import_study(tmp_path / "first").study, tmp_path / "second")
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")
    reviewed = Rating.objects.filter(span_reviews__verdict="confirmed").values_list("run", "replicate")
    assert list(reviewed) == [("r2", None)]


def test_review_lines_name_their_answer_and_have_every_key(reviewed, tmp_path):
    export_study(reviewed, tmp_path / "out")
    found = lines(tmp_path / "out" / "reviews.jsonl")
    [loose] = [line for line in found if line["rater"] == "Ada"]
    assert loose | {"at": "", "reviewer": ""} == {
        "review": "span", "item": "harbour", "rater": "Ada", "submitted_at": "2026-01-01T00:00:00.000000Z",
        "question": "errors", "index": 0, "number": 1, "verdict": "confirmed", "reviewer": "", "at": "",
        "reason": "Nine.",
    }  # fmt: skip
    checks = [line for line in found if line["review"] == "answer"]
    assert [(line["number"], line["verdict"], line.get("note")) for line in checks] == [
        (1, "problem", "Look again."),
        (2, "ok", None),
    ]
    assert "seen_at" in checks[0]
    assert (checks[0]["outputs"], checks[0]["revision"]) == (["north", "south"], 1)


def test_no_file_names_a_reviewer(reviewed, owner, tmp_path):
    owner.username, owner.full_name = "quince-marmalade", "Quince Marmalade"
    owner.save()
    export_study(reviewed, tmp_path / "out")
    everything = b"".join(bytes_of(tmp_path / "out").values())
    assert b"quince" not in everything.lower()
    assert {line["reviewer"] for line in lines(tmp_path / "out" / "reviews.jsonl")} == {Reviewer.objects.get().name}
    assert Reviewer.objects.get().name.startswith("reviewer-")


def test_without_reviews_there_is_no_file(source, tmp_path):
    manifest = export_study(import_study(source).study, tmp_path / "out")
    assert not (tmp_path / "out" / "reviews.jsonl").exists()
    assert "reviews.jsonl" not in manifest["files"]


def test_reviews_can_be_added_to_later_and_the_highest_number_counts(reviewed, tmp_path):
    export_study(reviewed, tmp_path / "out")
    path = tmp_path / "out" / "reviews.jsonl"
    [line] = [line for line in lines(path) if line["rater"] == "Ada"]
    later = line | {"number": 3, "verdict": "rejected", "reviewer": "Grace"}
    path.write_text(json.dumps(later) + "\n" + json.dumps(line | {"number": 2}) + "\n", encoding="utf-8")
    assert import_study(tmp_path / "out").added["reviews"] == 2
    rows = SpanReview.objects.filter(rating__annotation=None).order_by("number")
    assert list(rows.values_list("number", "is_current", "by__name"))[1:] == [
        (2, False, line["reviewer"]),
        (3, True, "Grace"),
    ]


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    first_cases(
        [
            ({"review": "opinion"}, "review", "must be span, answer or flag"),
            ({"item": "elsewhere"}, "", "does not have the span"),
            ({"rater": "Nobody"}, "", "does not have the span"),
            ({"index": 1}, "", "does not have the span"),
            ({"ordinal": 1}, "", "does not have the span"),
            ({"submitted_at": "2027-01-01T00:00:00Z"}, "", "does not have the span"),
            ({"question": "nothing"}, "question", "must be a question of this study"),
            ({"question": "overall"}, "", "does not have the span"),
            ({"verdict": "ok"}, "verdict", "must be one of"),
            ({"reason": None}, "reason", "is missing"),
            ({"reason": "Other."}, "number", "exists and is different"),
            ({"number": 0}, "number", "must be a whole number from 1"),
            ({"number": None}, "number", "is missing"),
            ({"at": None}, "at", "is missing"),
            ({"at": "yesterday"}, "at", "must be a time"),
            ({"reviewer": ""}, "reviewer", ""),
            ({"note": "x"}, '"note"', "unknown key"),
            ({"outputs": ["north", "south"], "revision": 9, "submitted_at": None}, "", ""),
        ],
        kept=4,
    ),
)
def test_an_invalid_line_is_refused_with_its_place_and_nothing_is_stored(reviewed, tmp_path, change, field, reason):
    export_study(reviewed, tmp_path / "out")
    path = tmp_path / "out" / "reviews.jsonl"
    [line] = [line for line in lines(path) if line["rater"] == "Ada"]
    good = line | {"number": 2}
    path.write_text(json.dumps(good) + "\n" + json.dumps(line | change) + "\n", encoding="utf-8")
    with pytest.raises(ImportRefusedError) as refused:
        import_study(tmp_path / "out")
    [problem] = refused.value.problems
    assert (problem.file, problem.line) == ("reviews.jsonl", 2)
    assert reason in problem.reason
    assert not field or problem.field == field
    assert SpanReview.objects.filter(number=2, rating__annotation=None).count() == 0


def test_a_review_survives_export_when_its_answer_is_revised(reviewed, rater, tmp_path):
    answer = Annotation.objects.get(is_current=True, rater__person=rater)
    assignment = answer.task.assignments.get()
    letter = {output.key: output.letter for output in shown(assignment)}
    sails = span(output=letter["north"], start=6, end=11, text="sails")
    form = {
        **{f"q-overall-{letter[key]}": [str(rank)] for key, rank in (("south", 2), ("north", 1))},
        "q-errors": [json.dumps({"spans": [sails]})],
        f"q-errors-{letter['south']}": ["none"],
    }
    submit(assignment, Submission(form, revision=1))
    before = said_of(reviewed)
    assert ("sails", "rejected", 0) in before
    export_study(reviewed, tmp_path / "first")
    empty_the_database()
    study = import_study(tmp_path / "first").study
    assert said_of(study) == before
    export_study(study, tmp_path / "second")
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")
    assert SpanReview.objects.filter(at__gt=datetime(2026, 1, 1, tzinfo=UTC)).count() == 5
