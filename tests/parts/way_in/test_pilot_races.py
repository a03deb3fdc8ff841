"""Pilots of session studies under racing requests: never more sessions than they have, and one decision each."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.http import QueryDict
from django.utils import timezone

from annotation.desk.assigning import BusyError, fill, next_assignment, release
from annotation.members.membership import rater_for
from annotation.models import Rater
from annotation.studies.locking import lock_rater
from files.reading import import_study
from parts.way_in.models import StepPassage
from parts.way_in.pilot_decisions import DecidedError, decide
from parts.way_in.pilot_tasks import end_if_over, end_pilots
from parts.way_in.steps_taken import take_step
from sessions.models import RevisionSession
from tests.conftest import make_person
from tests.sessions.conftest import folder, live, question  # noqa: F401 - fixtures

PILOT = {"key": "pilot", "kind": "pilot", "tasks": 2}
AT_ONCE = 8


def at_once(works):
    """Do all of it in threads at the same time; return what each returned, or the refusal that it raised."""
    start = threading.Barrier(len(works))

    def run(work):
        try:
            start.wait(30)
            return work()
        except (BusyError, DecidedError) as problem:
            return type(problem)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


@pytest.fixture
def piloted(transactional_db, folder):  # noqa: F811
    """A live study of six questions, each for four people, and two raters who have begun its pilot of two sessions."""
    owner, people = make_person("owner"), [make_person("ann"), make_person("ben")]
    made = folder([question(f"q{number}") for number in range(6)], redundancy=4, recruiting={"steps": [PILOT]})
    study = live(import_study(made, owner=owner).study, *people)
    raters = [rater_for(study, person) for person in people]
    for mine in raters:
        mine.study = study
    at_once([lambda mine=mine: take_step(mine, "pilot", QueryDict()) for mine in raters for _ in range(3)])
    assert StepPassage.objects.filter(outcome="open").count() == 2
    return study, raters, owner


def work(study, mine, lapses):
    """Claim a session again and again; send it, or let every other one lapse."""
    for number in range(4):
        assignment = next_assignment(study, Rater.objects.select_related("person").get(pk=mine.pk))
        if assignment is None:
            break
        with transaction.atomic():
            locked = lock_rater(mine.pk)
            locked.study = study
            if lapses and number % 2:
                release(study, locked, assignment.task_id, "lease expired")
            else:
                fill(locked, assignment.task_id)
        end_if_over(mine)


@pytest.mark.parametrize("lapses", [False, True])
def test_many_claims_give_no_more_than_the_pilot_has(piloted, lapses):
    study, raters, _ = piloted
    works = [lambda mine=mine: work(study, mine, lapses) for mine in raters for _ in range(AT_ONCE // 2)]
    at_once([*works, end_pilots])
    for mine in raters:
        assert RevisionSession.objects.filter(rater=mine).count() == 2
        mine.refresh_from_db()
        assert not mine.admitted
    assert list(StepPassage.objects.values_list("outcome", flat=True)) == ["waiting", "waiting"]


def test_of_many_decisions_at_once_one_counts(piloted):
    study, raters, owner = piloted
    for mine in raters:
        work(study, mine, False)
    passages = list(StepPassage.objects.select_related("rater"))
    asked = [("continue", "stop")[number % 2] for number in range(AT_ONCE)]
    works = [
        lambda passage=passage, say=say: decide(passage, say, owner, timezone.now()) or say
        for say in asked for passage in passages
    ]  # fmt: skip
    told = at_once(works)
    for place, passage in enumerate(passages):
        mine = [one for one in told[place::2] if one is not DecidedError]
        assert len(mine) == 1
        passage.refresh_from_db()
        assert passage.outcome == {"continue": "passed", "stop": "failed"}[mine[0]]
        assert Rater.objects.get(pk=passage.rater_id).admitted == (mine == ["continue"])


def test_claims_beside_a_decision_see_all_of_it_or_nothing(piloted):
    study, raters, owner = piloted
    for mine in raters:
        work(study, mine, False)
    going, stopped = StepPassage.objects.select_related("rater").order_by("pk")
    works = [
        lambda: decide(going, "continue", owner, timezone.now()),
        lambda: decide(stopped, "stop", owner, timezone.now()),
        *[lambda mine=mine: work(study, mine, False) for mine in raters for _ in range(3)],
    ]
    at_once(works)
    assert RevisionSession.objects.filter(rater=stopped.rater).count() == 2
    assert next_assignment(study, Rater.objects.select_related("person").get(pk=going.rater_id)) is not None or (
        RevisionSession.objects.filter(rater=going.rater).count() == 6
    )
