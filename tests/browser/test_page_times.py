"""A browser's clock that is wrong, turned, or stops with a closed lid: the times of answers are the server's."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.models import Annotation
from annotation.page_times import are_odd_times
from tests.browser.conftest import moved_on

DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("ahead", "turned", "asleep", "odd"), [(-DAY, DAY, 0, False), (DAY, -DAY, 0, False), (DAY, DAY, 3_600_000, True)]
)
def test_a_clock_that_jumps_changes_no_time_of_an_answer(desk, task, ahead, turned, asleep, odd):
    page, before = desk.page, timezone.now()
    page.clock.install(time=before + ahead)
    desk.open(task)
    page.keyboard.press("y")
    page.clock.set_system_time(before + turned)
    page.clock.run_for(2_000)
    if asleep:
        page.clock.fast_forward(asleep)
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    moved_on(page, task)
    answer = Annotation.objects.get()
    assert before - timedelta(minutes=1) < answer.opened_at <= answer.submitted_at <= timezone.now()
    assert answer.seconds == (answer.submitted_at - answer.opened_at).total_seconds()
    assert 2 <= answer.visible_seconds < asleep / 1000 + 60
    assert are_odd_times(answer.seconds, answer.visible_seconds, answer.active_seconds) is odd
