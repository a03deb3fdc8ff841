"""Attempts at steps under racing requests; consent asked again; qualification bound to the guidelines."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.members.membership import rater_for
from annotation.members.tokens import issue_token
from annotation.models import Annotation, Assignment, Guideline, Rater, Study
from files.entered.recruiting_settings import digest
from files.reading import import_study
from files.writing import export_study
from files.writing.study_yaml import study_yaml
from parts.way_in.declaring import change_steps, qualify_again
from parts.way_in.models import Consent, ConsentVersion, PracticeAnswer, StepPassage
from parts.way_in.steps_taken import StaleStepError, answer_task, take_step
from tests.clock import at_time
from tests.conftest import make_person
from tests.parts.way_in.way_in_study import CONSENT, QUALIFICATION, RIGHT, WRONG, Walk, study_with_steps

FORM = {name: [value] for name, value in RIGHT.items()}


def at_once(count, act):
    """Call `act` with each number in threads at the same time; return what each returned or raised."""
    start = threading.Barrier(count)

    def run(number):
        try:
            start.wait(30)
            return act(number)
        except (StaleStepError, IntegrityError) as problem:
            return type(problem)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


@pytest.mark.django_db(transaction=True)
def test_racing_requests_make_one_attempt_and_one_answer(owner, rater):
    study = study_with_steps(owner, rater, [QUALIFICATION])
    mine = rater_for(study, rater)
    assert at_once(6, lambda _: take_step(mine, "test", QueryDict())) == [None] * 6
    assert [one.attempt for one in StepPassage.objects.all()] == [1]
    given = at_once(6, lambda _: answer_task(mine, 0, FORM))
    # Locks decide who comes first. Without them constraints still refuse a second row, but as an error of the site.
    assert [one for one in given if one is not StaleStepError] == [StepPassage.objects.get()]
    assert given.count(StaleStepError) == 5
    assert PracticeAnswer.objects.count() == 1
    given = at_once(6, lambda _: answer_task(mine, 1, FORM))
    assert [one for one in given if one is not StaleStepError] == [StepPassage.objects.get()]
    assert given.count(StaleStepError) == 5
    assert AuditEntry.objects.filter(action="step ended").count() == 1
    assert StepPassage.objects.get().outcome == "passed"
    assert PracticeAnswer.objects.count() == 2


def test_the_database_refuses_a_second_attempt_under_way(owner, rater):
    mine = rater_for(study_with_steps(owner, rater, [QUALIFICATION]), rater)
    StepPassage.objects.create(rater=mine, step="test", attempt=1, opened_at=timezone.now())
    for attempt in (1, 2):
        with pytest.raises(IntegrityError), transaction.atomic():
            StepPassage.objects.create(rater=mine, step="test", attempt=attempt, opened_at=timezone.now())


def test_attempts_end_and_a_cool_down_passes(client, owner, rater):
    client.force_login(rater)
    way = Walk(client, study_with_steps(owner, rater, [QUALIFICATION]))
    assert way.attempt("test", RIGHT, WRONG) == "failed"
    assert own_steps(client) == [("failed", None)]  # the counts of two attempts would tell which answers were right
    way.post("test")
    assert StepPassage.objects.count() == 1
    later = timezone.now() + timedelta(hours=25)
    with at_time(later):
        assert way.attempt("test", RIGHT, WRONG) == "failed"
        assert "Thank you for your interest" in way.page().content.decode()
        assert [len(result["rules"]) for _, result in own_steps(client)] == [2, 2]
    with at_time(later + timedelta(days=9)):
        way.post("test")
    assert StepPassage.objects.count() == 2
    assert not Rater.objects.get(person=rater).admitted


def own_steps(client):
    """The outcomes and results of the attempts in the person's own data."""
    told = json.loads(b"".join(client.get("/my-data/my-data.json")).decode())
    return [(one["outcome"], one["result"]) for one in told["steps"]]


@pytest.fixture
def admitted(client, owner, rater):
    """A rater who has agreed, has passed, and has a task open."""
    client.force_login(rater)
    way = Walk(client, study_with_steps(owner, rater, [CONSENT, QUALIFICATION]))
    way.consent()
    way.attempt("test", RIGHT, RIGHT)
    way.task = way.next()["Location"]
    return way


def test_a_changed_text_is_agreed_to_again_before_the_next_page(admitted, owner, rater):
    study = admitted.study
    steps = [CONSENT | {"text": "We ask for more."}, QUALIFICATION]
    change_steps(study, steps, owner, seen=digest(study))
    response = admitted.client.post(f"{admitted.task}submit/", {**RIGHT, "revision": "0"})
    assert Annotation.objects.filter(status="submitted").count() == 1
    assert response["Location"].endswith("/way-in/")
    assert admitted.client.get(admitted.task)["Location"].endswith("/way-in/")
    assert next_assignment(study, rater_for(study, rater)) is None
    admitted.consent()
    assert admitted.next()["Location"].startswith("/work/")
    assert [one.number for one in ConsentVersion.objects.order_by("pk")] == [1, 2]
    assert Consent.objects.count() == 2
    change_steps(study, [CONSENT, QUALIFICATION], owner, seen=digest(study))
    assert Rater.objects.get(person=rater).admitted  # this very text was agreed to before


def test_a_page_of_an_older_text_is_not_agreed_to(admitted, owner):
    study = admitted.study
    change_steps(study, [CONSENT | {"text": "New."}, QUALIFICATION], owner, seen=digest(study))
    old = ConsentVersion.objects.get().digest
    response = admitted.post("consent", digest=old, agree="yes")
    assert response.status_code == 422
    assert Consent.objects.count() == 1


def test_guidelines_that_change_the_meaning_ask_for_qualification_again(admitted, owner, rater):
    Guideline.objects.create(study=admitted.study, number=2, text="Other meaning.")
    assert Rater.objects.get(person=rater).admitted
    assert qualify_again(admitted.study, owner) == 2
    assert not Rater.objects.get(person=rater).admitted
    assert admitted.attempt("test", RIGHT, RIGHT) == "passed"
    assert Rater.objects.get(person=rater).admitted
    assert [one.guidelines_version for one in StepPassage.objects.filter(step="test").order_by("pk")] == [1, 2]


def test_a_version_marked_as_a_change_of_meaning_asks_everybody_to_qualify_again(admitted, owner, rater):
    office = Client()
    office.force_login(owner)
    address = reverse("annotation:edit_guidelines", args=["study"])
    assert "people qualify again" in office.get(address).content.decode()
    office.post(address, {"text": "A comma."})
    assert Rater.objects.get(person=rater).admitted
    assert office.post(address, {"text": "Another meaning.", "changes_meaning": "on"}).status_code == 302
    assert not Rater.objects.get(person=rater).admitted
    study = Study.objects.get(slug="study")
    assert study.recruiting["steps"][-1]["since_guidelines"] == 3
    assert admitted.next()["Location"] == "/studies/study/way-in/"
    assert admitted.attempt("test", RIGHT, RIGHT) == "passed"
    assert Rater.objects.get(person=rater).admitted
    assert [one.guidelines_version for one in StepPassage.objects.filter(step="test").order_by("pk")] == [1, 3]
    published = AuditEntry.objects.filter(action="guidelines published").order_by("pk").last()
    assert published.new["changes_meaning"] is True


def test_programs_mark_a_change_of_meaning_and_studies_without_a_test_do_not_ask(admitted, owner, rater):
    token = issue_token(admitted.study, owner, name="t", scope="write")
    program = Client(headers={"Authorization": f"Bearer {token}"})

    def patch(**body):
        return program.patch("/api/studies/study/", body, content_type="application/json").status_code

    assert patch(guidelines="Other.", changes_meaning="yes") == 400
    assert patch(guidelines="Other.", changes_meaning=False) == 200
    assert Rater.objects.get(person=rater).admitted
    assert patch(guidelines="Yet another.", changes_meaning=True) == 200
    assert not Rater.objects.get(person=rater).admitted
    assert patch(recruiting=None) == 200
    office = Client()
    office.force_login(owner)
    page = office.get(reverse("annotation:edit_guidelines", args=["study"]))
    assert "people qualify again" not in page.content.decode()


def test_steps_are_exported_and_imported_with_the_same_bytes(admitted, tmp_path):
    export_study(admitted.study, tmp_path / "out")
    text = (tmp_path / "out" / "study.yaml").read_bytes()
    assert b"recruiting:" in text
    (tmp_path / "out" / "study.yaml").write_bytes(text.replace(b"slug: study\n", b"slug: again\n"))
    again = import_study(tmp_path / "out").study
    assert again.recruiting == Study.objects.get(slug="study").recruiting
    export_study(again, tmp_path / "again")
    assert (tmp_path / "again" / "study.yaml").read_bytes().replace(b"slug: again\n", b"slug: study\n") == text


def test_an_import_that_changes_the_consent_asks_people_again(admitted, rater, tmp_path):
    text = study_yaml(admitted.study).replace("We ask you to rate texts.", "We ask you to rate more.")
    (tmp_path / "study.yaml").write_text(text)
    import_study(tmp_path)
    assert not Rater.objects.get(person=rater).admitted


def test_gold_is_in_no_page_before_the_answer(client, owner, rater):
    client.force_login(rater)
    way = Walk(client, study_with_steps(owner, rater, [{"key": "t", "kind": "training", "items": 1}]))
    way.post("t")
    task = way.client.get("/studies/study/way-in/task/").content.decode()
    assert "At nine." in task
    assert way.client.get("/studies/study/way-in/task/1/").status_code == 404
    for secret in ("GOLD-REASON", "SECRET-SYSTEM"):
        assert secret not in task
    way.answer(WRONG)
    told = way.client.get("/studies/study/way-in/task/1/").content.decode()
    assert "GOLD-REASON" in told
    assert "differs" in told
    assert "SECRET-SYSTEM" not in told


def test_a_person_sees_nothing_of_anothers_way(owner, rater):
    study = study_with_steps(owner, rater, [{"key": "t", "kind": "training", "items": 1}])
    mine, theirs = Client(), Client()
    mine.force_login(rater)
    way = Walk(mine, study)
    way.post("t")
    way.answer(RIGHT)
    theirs.force_login(make_person("other"))
    for page in ("way-in/", "way-in/task/", "way-in/task/1/", "leave/", "consent/"):
        assert theirs.get(f"/studies/study/{page}").status_code == 404


def test_a_step_without_items_says_so(client, owner, rater):
    client.force_login(rater)
    way = Walk(client, study_with_steps(owner, rater, [QUALIFICATION | {"items": ["gone"]}]))
    response = way.post("test")
    assert response.status_code == 422
    assert "no tasks yet" in response.content.decode()
    assert not StepPassage.objects.exists()


def test_answers_of_an_annotator_who_has_to_qualify_again_are_not_lost(admitted, owner, rater):
    Guideline.objects.create(study=admitted.study, number=2, text="Other meaning.")
    qualify_again(admitted.study, owner)
    assert admitted.client.get("/").content.decode().count("Before your next task") == 0
    admitted.client.post(f"{admitted.task}submit/", {**RIGHT, "revision": "0"})
    assert Annotation.objects.get().status == "submitted"
    assert "Before your next task" in admitted.client.get("/").content.decode()
    assert Assignment.objects.filter(rater__person=rater).count() == 1
