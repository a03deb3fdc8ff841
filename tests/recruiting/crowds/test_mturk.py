"""Mechanical Turk: a preview enters nobody, its ids name who comes, and a form takes people back."""

import copy

import pytest

from annotation.importing.import_problems import FieldInvalidError
from recruiting.crowds.recruiter_settings import checked_recruiter
from recruiting.models import CrowdId, CrowdStay
from tests.recruiting.crowds.crowd_study import Guest, crowd_study, texts
from tests.recruiting.way_in_study import CONSENT

SANDBOX = "https://workersandbox.mturk.com/mturk/externalSubmit"
MTURK = {"profile": "mturk", "own_codes": ["complete"], "submit_to": SANDBOX, "minutes": 60}
IDS = {"workerId": "A1WORKER", "hitId": "3HIT", "assignmentId": "3ASSIGNMENT"}
PREVIEW = {"hitId": "3HIT", "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}


@pytest.fixture
def study(owner):
    return crowd_study(owner, steps=[CONSENT], recruiter=MTURK)


def test_a_preview_says_what_the_study_is_and_enters_nobody(study):
    guest = Guest(study)
    page = guest.open(PREVIEW)
    assert page.status_code == 200
    assert "This is a preview" in texts(page)
    assert "Start" not in texts(page)
    assert guest.enter({**PREVIEW, "workerId": "A1WORKER"}).status_code == 422
    assert not CrowdStay.objects.exists()
    assert "Start" in texts(guest.open(IDS))


def test_a_worker_comes_in_by_their_ids_and_goes_back_by_a_form(owner):
    guest = Guest(crowd_study(owner, recruiter=MTURK))
    assert guest.enter(IDS).status_code == 302
    known = CrowdId.objects.get()
    assert (known.participant, known.recruiter_study, known.session) == ("A1WORKER", "3HIT", "3ASSIGNMENT")
    guest.work()
    guest.finish()
    page = guest.outcome()
    body = page.content.decode()
    form = body[body.index(f'action="{SANDBOX}"') :]
    form = form[: form.index("</form>")]
    assert 'name="assignmentId" value="3ASSIGNMENT"' in form
    assert f'name="code" value="{guest.stay.code}"' in form
    assert 'name="outcome" value="complete"' in form
    assert "csrf" not in form
    allowed = dict(one.strip().partition(" ")[::2] for one in page["Content-Security-Policy"].split(";"))
    assert allowed["form-action"].split() == ["'self'", "https://workersandbox.mturk.com"]
    assert "mturk" not in guest.client.get("/my-data/")["Content-Security-Policy"]


def test_who_leaves_goes_back_by_the_form_too(study):
    guest = Guest(study)
    guest.enter(IDS)
    page = guest.client.post("/studies/study/leave/")
    assert 'name="assignmentId" value="3ASSIGNMENT"' in page.content.decode()
    assert 'value="withdrawn"' in page.content.decode()
    assert "https://workersandbox.mturk.com" in page["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"submit_to": "javascript:alert(1)"}, "submit_to"), ({"submit_to": "https://{code}.example/"}, "submit_to"),
        ({"submit_to": "https://x.example/?c={code}"}, "submit_to"), ({"return": "https://x.example"}, "return"),
        ({"parameters": {"participant": "workerId"}}, "parameters"), ({"name": "Other"}, "name"),
    ],
)  # fmt: skip
def test_settings_that_do_not_fit_are_refused(change, field):
    assert checked_recruiter(copy.deepcopy(MTURK), "recruiter") == MTURK
    with pytest.raises(FieldInvalidError) as refused:
        checked_recruiter({**MTURK, **change}, "recruiter")
    assert refused.value.field.endswith(field)
