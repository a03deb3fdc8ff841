"""Answers about pairs: their ratings, their export and their import."""

import json

import pytest

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Study
from annotation.protocols import Sheet
from files.reading import import_study
from files.writing import export_study
from tests.annotation.protocols.pairwise.conftest import PROTOCOL, _shown
from tests.files.writing.conftest import bytes_of, empty_the_database, objects_of

pytestmark = pytest.mark.django_db


def test_an_answer_becomes_ratings_of_the_pair_in_the_order_shown(study, task):
    left, right = (list(task.task.task_outputs.values_list("output__key", flat=True))[place] for place in task.order)
    form = {"q-better": ["B"], "q-why": ["Because."], "q-length": ["alike"], "q-fluent-A": ["1"], "q-fluent-B": ["3"]}
    annotation = submit(task, Submission(form=form, revision=0))
    assert annotation.answers["better"] == right
    assert annotation.answers["fluent"] == {left: 1, right: 3}
    found = {
        (rating.question.key, rating.output.key, rating.other_output and rating.other_output.key): (
            rating.value, rating.level,
        )
        for rating in annotation.ratings.all()
    }  # fmt: skip
    assert found == {
        ("better", left, right): (right, "choice"),
        ("why", left, right): ("Because.", "text"),
        ("length", left, right): ("alike", "nominal"),
        ("fluent", left, None): (1, "interval"),
        ("fluent", right, None): (3, "interval"),
    }


def test_an_answer_opens_again_as_it_was_given(study, task):
    form = {"q-better": ["A"], "q-fluent-A": ["2"], "q-fluent-B": ["2"]}
    annotation = submit(task, Submission(form=form, revision=0))
    questions, keys = list(study.questions.order_by("position")), _shown(task)
    assert PROTOCOL.form_of(annotation.answers, questions, Sheet.of(keys)) == form


def test_pairs_are_not_kept_with_the_same_raters_unless_the_study_says_so():
    assert not PROTOCOL.keeps_raters({})
    assert PROTOCOL.keeps_raters({"same_raters": True})


def test_database_export_import_export_give_the_same_bytes(study, rater, stranger, tmp_path):
    add_member(study, stranger, "annotator", None)
    choices = iter(["A", "B", "tie"] * 10)
    for person in (rater, stranger):
        while assignment := next_assignment(study, rater_for(study, person)):
            form = {"q-better": [next(choices)], "q-why": ["So."], "q-fluent-A": ["1"], "q-fluent-B": ["2"]}
            submit(assignment, Submission(form=form, revision=0))
    export_study(study, tmp_path / "first")
    lines = objects_of(tmp_path / "first" / "ratings.jsonl")
    for line in lines:
        assert (line["outputs"] == line["shown"]) if line["question"] != "fluent" else line["output"] in line["shown"]
    assert len({tuple(line["outputs"]) for line in lines if "outputs" in line}) > 3
    empty_the_database()
    import_study(tmp_path / "first")
    export_study(Study.objects.get(slug="pairs"), tmp_path / "second")
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")


def test_a_csv_export_imports_as_the_same_study(study, task, tmp_path):
    submit(task, Submission(form={"q-better": ["tie"], "q-why": ["Both bad."]}, revision=0))
    export_study(study, tmp_path / "jsonl")
    export_study(study, tmp_path / "csv", form="csv")
    empty_the_database()
    import_study(tmp_path / "csv")
    export_study(Study.objects.get(slug="pairs"), tmp_path / "again")
    name = "ratings.jsonl"
    assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "jsonl" / name).read_bytes()


@pytest.mark.thorough
def test_public_choices_are_exported_as_they_were_imported(reference_data, tmp_path):
    # The figures are compared in tests/reports; this test checks that nothing is lost or swapped.
    made = reference_data / "pandalm"
    study = import_study(made).study
    assert (study.items.count(), study.ratings.count()) == (999, 2997)
    export_study(study, tmp_path / "first")
    given = objects_of(made / "ratings.jsonl")
    found = [{key: line[key] for key in given[0]} for line in objects_of(tmp_path / "first" / "ratings.jsonl")]
    assert sorted(map(json.dumps, found)) == sorted(map(json.dumps, given))
    empty_the_database()
    import_study(tmp_path / "first")
    export_study(Study.objects.get(slug="pandalm"), tmp_path / "second")
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")
