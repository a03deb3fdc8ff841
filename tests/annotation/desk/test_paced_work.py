"""The pace that a study states, and a person's own: median minutes, pay of an hour, and breaks."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.desk.my_day import break_due, paced_work
from annotation.models import Study
from annotation.studies.pace_plan import StatedPace, pace_in
from files.import_problems import ImportRefusedError
from files.reading.study_file import checked_study
from tests.conftest import draft_study, live_study
from tests.managing.paced_answers import add_timed_answers
from tests.parts.way_in.way_in_study import CONSENT

PACE = {"minutes_per_task": 3, "pay_per_task": 0.5, "floor_per_hour": 12, "break_after_minutes": 50, "currency": "EUR"}
BODY = {
    "slug": "s", "protocol": "rating", "redundancy": 1, "questions": [{"key": "good", "type": "binary"}],
}  # fmt: skip


def test_a_section_is_read_and_says_what_an_hour_is_paid():
    pace = pace_in(Study(options=checked_study({**BODY, "pace": PACE}, "study.yaml").options))
    assert pace.expected_per_hour() == pytest.approx(10)
    assert pace.is_under_floor(pace.expected_per_hour())
    assert not pace.is_under_floor(12.0)
    assert pace.pay_per_hour(120) == pytest.approx(15)
    assert StatedPace().pay_per_hour(120) is None
    assert not StatedPace().is_under_floor(1.0)
    assert pace_in(Study(options={})) is None


@pytest.mark.parametrize(
    ("given", "message"),
    [([], "mapping"), ({"minutes": 3}, "unknown key"), ({"minutes_per_task": 0}, "from 0.01"),
     ({"pay_per_task": True}, "must be a number"), ({"currency": "euros and cents"}, "at most 8")],
)  # fmt: skip
def test_what_is_no_pace_is_refused(given, message):
    with pytest.raises(ImportRefusedError) as refused:
        checked_study({**BODY, "pace": given}, "study.yaml")
    assert message in refused.value.problems[0].reason


@pytest.mark.django_db
def test_a_person_sees_their_own_median_and_pay(client, owner, rater):
    study = live_study(owner, rater)
    Study.objects.filter(pk=study.pk).update(options={"pace": PACE})
    add_timed_answers(study, rater, [60, 120, 180])
    (one,), rest = paced_work(rater)
    assert (one.own_minutes, one.pay_per_hour) == (2, pytest.approx(15))
    assert rest is None
    client.force_login(rater)
    shown = client.get(reverse("annotation:my_day")).content.decode()
    assert "Yours, median" in shown
    assert "15.00 EUR" in shown
    said = "The time that you spent on the steps before your first task is not in them."
    assert said not in shown
    Study.objects.filter(pk=study.pk).update(recruiting={"steps": [CONSENT]})
    assert said in client.get(reverse("annotation:my_day")).content.decode()


@pytest.mark.parametrize(("minutes", "pause", "due"), [(60, 1, True), (40, 1, False), (60, 10, False)])
def test_a_break_is_suggested_after_the_stated_time_without_one(minutes, pause, due):
    now = timezone.now()
    middle, begun = now - timedelta(minutes=minutes / 2), now - timedelta(minutes=minutes)
    work = [(middle + timedelta(minutes=pause), now), (begun, middle)]
    found = break_due([StatedPace(), StatedPace(break_after_minutes=50)], work, now)
    assert (found is not None) == due
    assert not due or (found.worked, found.rest) == (minutes, 5)
    assert break_due([StatedPace(break_after_minutes=50)], work, now + timedelta(minutes=6)) is None
    assert break_due([StatedPace()], work, now) is None


@pytest.mark.django_db
def test_a_study_without_a_pace_shows_none(rater):
    draft_study()
    assert paced_work(rater) == ([], None)
