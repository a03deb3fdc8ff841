"""Shortcuts that somebody tries who wants the code without the work, or rows of a study that is not theirs."""

import pytest
from django.test import Client

from annotation.models import Annotation, Assignment, RaterExclusion, RaterPause
from parts.checks.models import RaterNotice
from parts.rater_messages.models import RaterMessage
from parts.way_in.models import PracticeAnswer, StepPassage
from tests.conftest import make_person
from tests.parts.crowds.crowd_study import Guest, crowd_study, prolific_ids, texts
from tests.parts.way_in.way_in_study import CONSENT, FITTING, QUALIFICATION, RIGHT, SCREEN, TRAINING, WRONG, Walk

pytestmark = pytest.mark.django_db
STEPS = [CONSENT, SCREEN, TRAINING, QUALIFICATION]
FORGED = ("-1", "1", "99", "0x0", "\u0660", "0 ", "")
CLAIMED = {"outcome": "complete", "code": "CDONE1", "status": "complete", "admitted": "true"}


@pytest.fixture
def guest(owner):
    guest = Guest(crowd_study(owner, steps=STEPS))
    guest.enter(prolific_ids())
    return guest


def test_no_later_step_no_task_and_no_code_by_its_address(guest):
    walk = Walk(guest.client, guest.study)
    for step, form in (("screen", FITTING), ("training", {}), ("test", {}), ("gone", {}), ("", {})):
        assert walk.post(step, **form)["Location"] == f"{walk.base}way-in/"
    for address in ("next/", "begin/", "topics/", "finish/", "way-in/task/"):
        page = guest.client.post(f"{walk.base}{address}", {"version": 1, "number": 0, **RIGHT, **CLAIMED})
        assert (page.status_code, "/work/" in page["Location"]) == (302, False), address
    assert guest.client.post(f"{walk.base}way-in/task/draft/", {"number": 0, **RIGHT}).status_code == 410
    for address in ("way-in/task/", "way-in/task/1/", "outcome/", "end/", "final-answers/", "my-answers/"):
        assert "At nine." not in texts(guest.client.get(f"{walk.base}{address}", CLAIMED)), address
    assert guest.client.get(f"{walk.base}way-in/task/1/").status_code == 404
    for model in (StepPassage, PracticeAnswer, Assignment, Annotation):
        assert not model.objects.exists(), model
    assert (guest.stay.outcome, guest.stay.code, guest.stay.rater.admitted) == ("", "", False)


def test_a_test_is_answered_in_its_order_once_and_says_nothing_before(guest):
    walk = Walk(guest.client, guest.study)
    walk.consent()
    walk.post("screen", **FITTING)
    assert walk.post("test")["Location"] == f"{walk.base}way-in/"
    walk.attempt("training", WRONG)
    guest.client.post(f"{walk.base}way-in/task/1/")
    walk.post("test")
    for number in FORGED:
        guest.client.post(f"{walk.base}way-in/task/", {"number": number, **RIGHT})
    assert not PracticeAnswer.objects.filter(passage__step="test").exists()
    walk.answer(WRONG)
    assert guest.client.get(f"{walk.base}way-in/task/2/").status_code == 404  # 1 is the training's
    guest.client.post(f"{walk.base}way-in/task/", {"number": 0, **RIGHT})  # an answer that was sent is not changed
    walk.answer(RIGHT)
    assert StepPassage.objects.get(step="test").outcome == "failed"
    walk.post("screen", **FITTING)
    assert StepPassage.objects.filter(step="screen").count() == 1
    guest.client.post(f"{walk.base}finish/", CLAIMED)
    assert guest.stay.code == ""  # there is another attempt


def test_researchers_of_another_study_reach_nobody_by_forged_ids(guest):
    other = make_person("other-researcher")
    crowd_study(other, slug="other")
    rater = guest.stay.rater
    waiting = StepPassage.objects.create(
        rater=rater, step="pilot", attempt=1, outcome="waiting", opened_at=guest.stay.entered_at
    )
    notice = RaterNotice.objects.create(rater=rater, rule={}, share=0.1, number=3)
    client = Client()
    client.force_login(other)
    words = {"reason": "Forged.", "text": "Forged.", "outcome": "Forged.", "decision": "continue", "resume": "yes"}
    for address in (
        f"raters/{rater.pk}/exclude/", f"raters/{rater.pk}/include/", f"raters/{rater.pk}/pause/",
        f"rater-notices/{notice.pk}/answer/", f"funnel/{waiting.pk}/", f"messages/{rater.pk}/",
        f"messages/{rater.pk}/1/", f"messages/{rater.pk}/done/",
    ):  # fmt: skip
        for slug in ("other", "study"):
            assert client.post(f"/studies/{slug}/{address}", words).status_code == 404, (slug, address)
    client.post("/studies/other/funnel/", {f"decision-{waiting.pk}": "continue"})
    waiting.refresh_from_db()
    notice.refresh_from_db()
    assert (waiting.outcome, notice.answered_at) == ("waiting", None)
    for model in (RaterExclusion, RaterPause, RaterMessage):
        assert not model.objects.exists(), model
    for name in ("submissions/", "submissions/submissions.csv", "funnel/"):
        assert "pid1" not in texts(client.get(f"/studies/other/{name}"))
        assert client.get(f"/studies/study/{name}").status_code == 404
