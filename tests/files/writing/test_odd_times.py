"""Seconds that a page counted and that cannot be true: kept, and marked in files and in the API."""

import pytest
from django.utils import timezone

from annotation.desk.submitting import Effort, Submission, submit
from annotation.models import Assignment, Task
from annotation.page_times import are_odd_times
from annotation.studies.planning import plan_chunk
from files.reading import import_study
from files.writing import export_study
from tests.files.lines import lines_in
from tests.files.writing.conftest import assign, bytes_of, empty_the_database, item, objects_of, write_study

pytestmark = [pytest.mark.both, pytest.mark.django_db]
DAY = 86400.0
FORM = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": [""]}


@pytest.mark.parametrize(
    ("seconds", "visible", "active", "odd"),
    [
        (30.0, 30.0, 20.0, False), (30.0, 34.9, 0.0, False), (30.0, 36.0, 0.0, True), (30.0, None, 36.0, True),
        (None, DAY, 0.0, False), (None, 10.0, 20.0, True), (DAY, 10.0, 20.0, True), (None, None, None, False),
    ],
)  # fmt: skip
def test_counts_fit_if_the_server_waited_as_long(seconds, visible, active, odd):
    assert are_odd_times(seconds, visible, active) is odd


def test_counts_that_do_not_fit_the_servers_time_are_marked_and_kept(owner, tmp_path):
    study = import_study(write_study(tmp_path / "in", [item()], guidelines="First")).study
    plan_chunk(study)
    assignment = assign(study, owner, Task.objects.get(item__study=study))
    for revision, counted in enumerate((2.0, DAY)):
        Assignment.objects.update(opened_at=timezone.now())
        assignment.refresh_from_db()
        submit(assignment, Submission(FORM, revision, 1, effort=Effort(counted, 1.0, {})))
    export_study(study, tmp_path / "one")
    lines = objects_of(tmp_path / "one" / "annotations.jsonl")
    assert [line.get("odd_times") for line in lines] == [None, True]
    assert [line["visible_seconds"] for line in lines] == [2.0, DAY]
    assert all(line["seconds"] < 60 for line in lines)
    assert [line.get("odd_times") for line in lines_in(study, "annotations")] == [None, True]
    empty_the_database()
    export_study(import_study(tmp_path / "one").study, tmp_path / "two")
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
