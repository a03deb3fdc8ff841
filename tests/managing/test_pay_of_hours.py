"""Researchers see medians of time and the pay of an hour, and are warned under the study's floor."""

import pytest

from annotation.members.membership import add_member
from annotation.models import Study
from annotation.studies.pace_counts import StudyPace
from managing.watching.pay_of_hours import pay_of
from tests.conftest import live_study, make_person
from tests.managing.paced_answers import add_timed_answers

PACE = {"minutes_per_task": 3, "pay_per_task": 0.5, "floor_per_hour": 12, "currency": "EUR"}


def counted(*seconds):
    """The counts of raters with ten answers each, at these active seconds per task."""
    raters = {str(pk): {"active_seconds": 10.0 * one, "timed": 10} for pk, one in enumerate(seconds)}
    return StudyPace({"raters": raters})


def test_the_median_rater_decides_and_few_have_no_median():
    study = Study(options={"pace": PACE})
    pay = pay_of(study, counted(60, 180, 600))
    assert (pay.median_minutes, pay.per_hour, pay.under_floor) == (3, pytest.approx(10), True)
    assert pay.expected_under_floor
    assert not pay_of(study, counted(60, 120, 600)).under_floor
    assert pay_of(study, counted(60, 600)).median_minutes is None
    assert pay_of(study, counted(60, 120, 10)).per_hour is None  # the last one has worked for less than five minutes
    assert pay_of(Study(options={}), counted(60, 60, 60)) is None


def test_the_time_of_steps_is_paid_work_spread_over_the_tasks_of_a_person():
    pace = {**PACE, "step_minutes": 15, "floor_per_hour": 9}
    study = Study(options={"pace": pace, "plan": {"most": 10}})
    pay = pay_of(study, counted(60, 180, 600))
    assert (pay.expected_whole, pay.tasks) == (45, 10)
    assert pay.expected_per_hour == pytest.approx(10 * 0.5 / 0.75)
    assert pay.per_hour == pytest.approx(10 * 0.5 / 0.75)
    assert pay.under_floor
    assert pay.expected_under_floor
    unknown = pay_of(Study(options={"pace": pace}), counted(60, 180, 600))
    assert (unknown.tasks, unknown.expected_whole, unknown.per_hour) == (None, None, pytest.approx(10))
    answers = {
        str(pk): {"active_seconds": 1800.0, "timed": 10, "answers": count} for pk, count in enumerate((5, 15, 20))
    }
    assert pay_of(Study(options={"pace": pace}), StudyPace({"raters": answers})).per_hour == pytest.approx(7.5)


@pytest.mark.django_db
def test_the_page_warns_under_the_floor_and_shows_no_time_of_a_person(client, owner, rater):
    study = live_study(owner, rater)
    Study.objects.filter(pk=study.pk).update(options={"pace": PACE})
    for name, seconds in (("ann", 151), ("bob", 152), ("cyd", 457)):
        person = make_person(name)
        add_member(study, person, "annotator", None)
        add_timed_answers(study, person, [seconds] * 2)
    client.force_login(owner)
    shown = client.get(f"/studies/{study.slug}/progress/").content.decode()
    assert "At the expected pace an hour is paid 10.00 EUR" in shown
    assert "median of annotators" in shown
