"""Counts of a study's pace by day and rater, and what the home page shows of large studies."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from annotation.background.study_counting import WORK
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from annotation.models import Assignment, Output, Rater, Rating, Slot, StudyCounts
from annotation.studies.lifecycle import prepare
from annotation.studies.pace_counts import RaterPace, StudyPace, count_pace, pace_of
from annotation.studies.planning import is_planned
from annotation.studies.run_studies import runs_of
from annotation.studies.study_overview import overview_of
from annotation.studies.study_progress import StudyProgress, progress_of_study
from config.background.claiming import process_row
from config.background.rows import Status
from files.reading import import_study
from files.writing import export_study
from tests.clock import at_time
from tests.conftest import add_item

pytestmark = pytest.mark.postgresql
FORM = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": [""]}


def answer(study, person, days=0):
    """Answer the next task as it would have been some days ago."""
    now = timezone.now() - timedelta(days=days)
    with at_time(now):
        assignment = next_assignment(study, rater_for(study, person))
        submit(assignment, Submission(FORM, revision=0, guidelines_version=1))


def import_rating(study, name="from-file"):
    made, _ = Rater.objects.get_or_create(study=study, name=name)
    output = Output.objects.filter(item__study=study).first()
    question = study.questions.get(key="how_well")
    Rating.objects.create(
        study=study, question=question, rater=made, item=output.item, output=output, level="interval", number=4, value=4
    )


@pytest.fixture
def large(monkeypatch):
    monkeypatch.setattr("annotation.studies.kept_counts.MOST_AT_ONCE", 0)


def count_requested():
    queued = StudyCounts.objects.filter(status=Status.QUEUED)
    return sum(process_row(WORK.key, pk) for pk in list(queued.values_list("pk", flat=True)))


def test_answers_are_counted_by_day_and_rater(study, rater):
    for days in (6, 3, 3, 0):
        answer(study, rater, days)
    pace = StudyPace(count_pace(study))
    assert (pace.last_day, pace.last_week, pace.figures["today"]) == (1, 4, 1)
    assert list(pace.whole_days) == [0, 0, 2, 0, 0], "the first day is not whole, and today is not over"
    own = pace.of_rater(rater_for(study, rater).pk)
    assert (own.answers, own.week, own.per_hour) == (4, 4, None)
    assert own.seconds == 0
    assert isinstance(own.last_at, datetime)


def test_changing_answers_changes_neither_pace_nor_days(study, rater):
    for days in (20, 6, 3):
        answer(study, rater, days)
    before, overview = count_pace(study), overview_of(study).pace
    for one in Assignment.objects.filter(task__annotations__is_current=True):
        submit(one, Submission({**FORM, "q-how_well": ["2"]}, revision=1, guidelines_version=1))
    after = count_pace(study)
    own, was = after["raters"].popitem()[1], before["raters"].popitem()[1]
    assert own["last"] > was["last"]
    assert (own["answers"], own["week"]) == (was["answers"], was["week"]) == (3, 2)
    del after["hasty"], before["hasty"]  # these answers took no time, and the time of the changes is not known
    assert after == before
    assert (overview_of(study).pace.day, overview_of(study).pace.week) == (overview.day, overview.week) == (0, 2)


def test_answers_per_hour_need_five_active_minutes():
    assert RaterPace(answers=3, timed=3, active_seconds=299).per_hour is None
    assert RaterPace(answers=3, timed=3, active_seconds=360).per_hour == pytest.approx(30)


def test_a_study_without_answers_has_no_whole_days(study):
    pace = StudyPace(count_pace(study))
    assert list(pace.whole_days) == []
    assert len(pace.days) == 28


def test_imported_ratings_are_part_of_the_progress(client, study, owner):
    import_rating(study)
    assert StudyPace(count_pace(study)).progress.imported == 1
    client.force_login(owner)
    assert "1</span> rating imported" in client.get("/studies/study/").content.decode()
    assert "1 rating imported · 0 of 12 answers given here" in client.get("/").content.decode()


def test_answers_that_were_imported_are_part_of_the_progress(client, study, rater, owner, tmp_path):
    for _ in range(4):
        answer(study, rater)
    export_study(study, tmp_path / "study")
    text = (tmp_path / "study" / "study.yaml").read_text()
    (tmp_path / "study" / "study.yaml").write_text(text.replace("slug: study", "slug: copy"))
    copy = import_study(tmp_path / "study", owner=owner).study
    assert progress_of_study(copy) == StudyProgress(imported_answers=4)
    prepare(copy, 60)
    here = progress_of_study(study)
    assert (here.filled, here.imports) == (4, [])
    assert progress_of_study(copy) == StudyProgress(12, 4, 0)
    Slot.objects.filter(study=copy).update(state="open", holder=None)
    client.force_login(owner)
    assert "4</span> answers imported" in client.get("/studies/copy/").content.decode()
    assert "4 answers imported · 0 of 12 answers given here" in client.get("/").content.decode()


@pytest.mark.usefixtures("large")
def test_a_large_study_is_counted_by_workers(study, rater):
    answer(study, rater)
    assert pace_of(study).figures == {}
    count_requested()
    assert pace_of(study).last_day == 1


@pytest.mark.usefixtures("large")
def test_the_home_page_shows_kept_progress_of_large_studies(study, rater, owner):
    answer(study, rater)
    [run] = runs_of(owner)
    assert run.progress is None
    count_requested()
    [run] = runs_of(owner)
    assert (run.progress.filled, run.progress.total) == (1, 12)


def test_a_study_is_planned_until_an_item_comes(study):
    assert is_planned(study)
    add_item(study, "late")
    assert not is_planned(study)
