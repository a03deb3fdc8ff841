"""Drafts of practice tasks: kept until the task is answered, and never over a newer one."""

import pytest

from annotation.members.membership import rater_for
from annotation.members.rater_erasure import erase_rater
from parts.way_in.models import PracticeAnswer, StepPassage
from tests.parts.way_in.way_in_study import QUALIFICATION, RIGHT, TRAINING, WRONG, Walk, study_with_steps

DRAFT = "/studies/study/way-in/task/draft/"
TASK = "/studies/study/way-in/task/"


@pytest.fixture
def way(client, owner, rater):
    """A person at the first of two tasks of a qualification."""
    client.force_login(rater)
    way = Walk(client, study_with_steps(owner, rater, [QUALIFICATION]))
    way.post("test")
    return way


def save(way, form, version, number=0):
    return way.client.post(DRAFT, {"number": number, "draft_version": version, "revision": 0, **form})


def test_a_draft_is_there_after_a_reload_and_gone_with_the_answer(way):
    assert save(way, WRONG, 0).json() == {"version": 1}
    assert save(way, {"q-follows": "true"}, 1).json() == {"version": 2}
    page = way.client.get(TASK)
    assert page.context["desk"]["draft_version"] == 2
    assert page.context["assignment"].draft == {"q-follows": ["true"]}
    first = page.context["assignment"].key
    assert way.answer(RIGHT).status_code == 302
    page = way.client.get(TASK)
    assert (page.context["desk"]["draft_version"], page.context["assignment"].draft) == (0, {})
    assert page.context["assignment"].key != first
    save(way, WRONG, 0, number=1)
    way.answer(RIGHT)
    passage = StepPassage.objects.get()
    assert passage.outcome == "passed"
    assert "draft" not in passage.result
    assert PracticeAnswer.objects.get(number=1).answers == {"follows": True, "how_well": 5}


def test_a_second_window_overwrites_nothing(way):
    save(way, RIGHT, 0)
    assert save(way, RIGHT, 0).json() == {"version": 1}  # the same again, as after a lost response
    other = save(way, WRONG, 0)
    assert other.status_code == 409
    assert other.json() == {"version": 1, "draft": {name: [value] for name, value in RIGHT.items()}}


def test_a_draft_of_a_task_that_is_answered_is_refused(way):
    way.answer(RIGHT)
    assert save(way, WRONG, 0).status_code == 410
    assert save(way, WRONG, 0, number=7).status_code == 410
    assert way.client.post(DRAFT, {"number": "x"}).status_code == 410


def test_a_draft_larger_than_any_answer_is_refused(way):
    assert save(way, {"q-follows": "x" * 300_000}, 0).status_code == 413
    assert save(way, {"q-follows": "a\0b"}, 0).status_code == 400
    assert way.client.get(TASK).context["desk"]["draft_version"] == 0


def test_no_draft_is_saved_while_the_right_answer_is_to_be_read(client, owner, rater):
    client.force_login(rater)
    way = Walk(client, study_with_steps(owner, rater, [TRAINING | {"items": 2}]))
    way.post("training")
    save(way, RIGHT, 0)
    way.answer(RIGHT)
    assert save(way, WRONG, 0, number=1).status_code == 410
    client.post(f"{TASK}1/")
    assert save(way, WRONG, 0, number=1).json() == {"version": 1}


def test_a_draft_goes_with_the_person_even_if_answers_are_kept(way, owner, rater):
    save(way, {"q-follows": "true"}, 0)
    erase_rater(rater_for(way.study, rater), owner, keep_answers=True)
    assert StepPassage.objects.get().result is None
