"""Turns of sessions that were rated faster than anybody reads their answers are counted for both kinds of raters."""

from datetime import timedelta

import pytest

from annotation.desk.submitting import Submission, submit
from annotation.studies.reading_speed import count_hasty
from config.background.claiming import run_waiting
from config.database_clock import database_now
from sessions import steps
from sessions.models import Turn
from tests.conftest import make_person, rater_of
from tests.sessions.conftest import instruct, rate, second_task, turned

LONG = "ferry sails at nine and " * 180


@pytest.fixture
def long_answers(models):
    models.script = ["Short.", *[LONG] * 3]


def test_a_turn_whose_long_answer_was_rated_at_once_is_found(long_answers, session, study, rater):
    turned(session, "Say more about ferries.", "good")
    turned(session, "Say more about trains.", "good")
    steps.finish(session)
    [[key, hasty]] = count_hasty(study).items()
    assert key == str(rater_of(study, rater).pk)
    assert (hasty["answers"], hasty["timed"], hasty["words"]) == (2, 2, 900)


def test_a_turn_that_was_read_is_not_found(long_answers, session, study):
    turn = instruct(session, "Say more about ferries.")
    run_waiting()
    began = database_now() - timedelta(minutes=1)
    Turn.objects.filter(pk=turn.pk).update(started_at=began, ended_at=began)
    rate(session, "good", number=turn.number)
    assert count_hasty(study) == {}


def test_the_time_in_which_an_answer_was_written_is_time_to_read_for_its_user(long_answers, session, study):
    turn = turned(session, "Say more about ferries.", "good")
    turn.started_at = turn.ended_at - timedelta(minutes=1)
    turn.save()
    assert count_hasty(study) == {}


def test_a_second_rater_reads_the_answer_too_and_did_not_see_it_being_written(long_answers, session, study):
    person = make_person("second")
    assignment = second_task(session, person, "Say more about ferries.")
    turn = session.turns.get(number=1)
    turn.started_at = turn.ended_at - timedelta(minutes=1)
    turn.save()
    submit(assignment, Submission({"q-rating": ["bad"], "q-comment": ["Because."]}, 0, 1, None))
    [[key, hasty]] = count_hasty(study).items()
    assert (key, hasty["answers"], hasty["words"]) == (str(assignment.rater.pk), 1, 900)
