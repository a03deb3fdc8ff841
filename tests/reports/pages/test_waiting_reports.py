"""Few reports wait per study and person, and one that waits is found by everybody who asks for the same."""

import pytest

from accounts.models import Person
from annotation.members.membership import add_member
from annotation.members.tokens import issue_account_token, issue_token
from config.background.claiming import claim
from config.background.kinds import works
from reports.kept.kept_exports import request_export
from reports.kept.kept_reports import (
    CROWDED_WAIT,
    MOST_OF_PERSON,
    MOST_OVER_STUDIES,
    MOST_WAITING,
    WORK_KEY,
    kept_report,
)
from reports.models import KeptExport, KeptReport
from reports.report_kinds.agreement import agreement_choices
from tests.conftest import make_person
from tests.reports.computing import compute_requested
from tests.world import client_with

pytestmark = pytest.mark.django_db
AGREEMENT = "/api/studies/study/agreement/"


@pytest.fixture
def program(study, owner):
    return client_with(issue_token(study, owner, name="copy", scope="read"))


@pytest.fixture
def colleague(study):
    person = make_person("colleague")
    add_member(study, person, "researcher", None)
    return person


def test_a_read_token_queues_few_reports_and_is_told_so(study, program, owner):
    answers = [program.get(f"{AGREEMENT}?raters=nobody-{number}") for number in range(120)]
    statuses = [answer.status_code for answer in answers]
    assert statuses == [202] * MOST_OF_PERSON + [429] * (120 - MOST_OF_PERSON)
    assert KeptReport.objects.filter(status="queued", requested_by=owner).count() == MOST_OF_PERSON
    last = answers[-1]
    assert "are waiting" in last.json()["detail"]
    assert int(last["Retry-After"]) >= CROWDED_WAIT


def test_others_still_get_their_reports_and_the_study_has_a_limit_too(study, owner, colleague):
    for number in range(MOST_OF_PERSON + 2):
        kept_report(study, "agreement", agreement_choices(names=[f"a{number}"]), owner)
    assert kept_report(study, "agreement", agreement_choices(names=["b"]), colleague).waiting
    people = [make_person(f"person-{number}") for number in range(MOST_WAITING)]
    found = [kept_report(study, "agreement", agreement_choices(names=[str(one)]), one) for one in people]
    assert KeptReport.objects.filter(study=study, status="queued").count() == MOST_WAITING
    assert found[-1].is_crowded


def test_another_study_has_a_limit_of_its_own(study, make_study, owner):
    for number in range(MOST_OF_PERSON):
        kept_report(study, "agreement", agreement_choices(names=[f"a{number}"]), owner)
    assert kept_report(make_study("other"), "agreement", agreement_choices(), owner).waiting


def test_a_person_has_a_limit_over_all_studies(make_study, owner, colleague):
    studies = [make_study(f"s{number}") for number in range(MOST_OVER_STUDIES // MOST_OF_PERSON + 2)]
    for study in studies:
        add_member(study, owner, "owner", None)
    program = client_with(issue_account_token(owner, name="copy", scope="read"))
    for study in studies:
        answers = [program.get(f"/api/studies/{study.slug}/agreement/?raters=x{number}") for number in range(9)]
    assert {answer.status_code for answer in answers} == {429}
    assert KeptReport.objects.filter(status="queued", requested_by=owner).count() == MOST_OVER_STUDIES
    assert kept_report(studies[-1], "agreement", agreement_choices(), colleague).waiting


def test_room_is_made_when_reports_are_computed(study, owner):
    for number in range(MOST_OF_PERSON):
        kept_report(study, "agreement", agreement_choices(names=[f"a{number}"]), owner)
    one_more = agreement_choices(names=["z"])
    assert kept_report(study, "agreement", one_more, owner).is_crowded
    compute_requested()
    assert kept_report(study, "agreement", one_more, owner).waiting


def test_the_page_says_what_it_waits_for_and_asks_again(client, study, owner):
    client.force_login(owner)
    for number in range(MOST_OF_PERSON):
        kept_report(study, "agreement", agreement_choices(names=[f"a{number}"]), owner)
    page = client.get("/studies/study/report/").content.decode()
    assert 'hx-trigger="every 2s"' in page
    assert KeptReport.objects.count() == MOST_OF_PERSON


@pytest.mark.parametrize("status", ["queued", "running"])
def test_a_report_that_waits_is_found_for_everybody_and_in_whatever_order_its_choices_come(
    study, program, owner, colleague, status
):
    asked = kept_report(study, "agreement", agreement_choices(["human", "model"], ["ann", "ben"]), colleague)
    if status == "running":
        claim(works()[WORK_KEY], asked.waiting.pk)
    for query in (
        "kinds=model,human&raters=ben&raters=ann",
        "kinds=human,model,human&raters=ann&raters=ben&raters=ann",
    ):
        assert program.get(f"{AGREEMENT}?{query}").status_code == 202
    assert KeptReport.objects.count() == 1
    assert KeptReport.objects.get().requested_by == colleague


@pytest.mark.parametrize("status", ["queued", "running"])
def test_an_export_that_waits_is_found_also_after_the_data_have_changed(study, program, owner, colleague, status):
    waiting = request_export(study, "jsonl", colleague, "page")
    if status == "running":
        claim(works()["export"], waiting.pk)
    study.title = "Another title"
    study.save()
    found = [program.post("/api/studies/study/exports/?format=jsonl") for _ in range(3)]
    assert {(one.status_code, one.json()["id"]) for one in found} == {(202, waiting.pk)}
    assert KeptExport.objects.count() == 1
    assert Person.objects.get(pk=KeptExport.objects.get().requested_by_id) == colleague
