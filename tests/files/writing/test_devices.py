"""How a page showed a task goes through the files of every format."""

import pytest

from annotation.desk.submitting import Effort, Submission, submit
from annotation.models import Annotation, Assignment, Task
from annotation.studies.planning import plan_chunk
from files.import_problems import ImportRefusedError
from files.reading import add_to_study, import_study
from files.writing import export_study
from tests.files.writing.conftest import assign, empty_the_database, item, objects_of, write_study

pytestmark = [pytest.mark.both, pytest.mark.django_db]
FORM = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": [""]}
SAID = "laptop fine below tight columns whole"
LINE = {"item": "one", "outputs": ["north"], "rater": "ada", "revision": 1, "status": "skipped"}


@pytest.fixture
def answered(owner, tmp_path):
    """A study with an answer that a page with scripts sent, and one without."""
    study = import_study(write_study(tmp_path / "in", [item()], guidelines="First")).study
    plan_chunk(study)
    assignment = assign(study, owner, Task.objects.get(item__study=study))
    for revision, device in enumerate((SAID, "")):
        submit(assignment, Submission(FORM, revision, 1, effort=Effort(device=device)))
        assignment = Assignment.objects.get(pk=assignment.pk)
    return study


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_what_the_page_said_is_there_again_after_an_import(answered, tmp_path, form):
    export_study(answered, tmp_path / "out", form)
    empty_the_database()
    again = import_study(tmp_path / "out").study
    kept = Annotation.objects.filter(rater__study=again).order_by("revision").values_list("device", flat=True)
    assert list(kept) == [SAID, ""]
    export_study(again, tmp_path / "jsonl")
    assert [line.get("device") for line in objects_of(tmp_path / "jsonl" / "annotations.jsonl")] == [SAID, None]


def test_a_text_that_no_page_says_is_refused(answered, tmp_path):
    path = tmp_path / "annotations.jsonl"
    for device, reason in (("a " * 60, "at most 80 characters"), (["laptop"], "must be text")):
        [line] = write_study(tmp_path / "one", [item()], annotations=[LINE | {"device": device}]).glob("annotations*")
        path.write_bytes(line.read_bytes())
        with pytest.raises(ImportRefusedError, match=reason):
            add_to_study(answered, {"annotations": path}, None)
