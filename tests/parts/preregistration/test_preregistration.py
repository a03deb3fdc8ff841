"""Preregistration: a plan is dated and hashed before the first answer, never changed, and compared with what came."""

import hashlib
import json

import pytest
from django.db import DatabaseError, transaction
from django.template.loader import render_to_string

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Study
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.lifecycle import publish_guidelines
from annotation.studies.steered_items import withdraw
from annotation.studies.study_erasure import erase_study
from config.background.claiming import process_row
from files.reading import ImportRefusedError, import_study
from files.writing import export_study
from parts.preregistration.models import Preregistration
from parts.preregistration.registering import TOO_LATE, register_plan
from tests.conftest import live_study
from tests.reports.computing import read

pytestmark = pytest.mark.django_db
WORDS = {"stop_rules": "After 4 answers.", "figures": ["alpha_interval"], "other_figures": "", "hypotheses": "North."}
FORM = {"q-follows": ["true"], "q-how_well": ["5"]}


@pytest.fixture
def study(owner, rater, client):
    made = live_study(owner, rater)
    client.force_login(owner)
    return made


def page_of(study):
    return f"/studies/{study.slug}/preregistration/"


def registered(study, person=None, **more):
    row = register_plan(study, {**WORDS, **more}, person)
    assert process_row("plan", row.pk)
    row.refresh_from_db()
    return row


def answer(study, rater):
    submit(next_assignment(study, rater_for(study, rater)), Submission(form=FORM, revision=0, guidelines_version=1))


def test_a_click_registers_a_plan_with_its_hash_and_its_files(client, study):
    response = client.post(page_of(study), {"stop_rules": "After 4 answers.", "figures": ["alpha_interval"]})
    assert response.status_code == 302
    assert "Registering plan 1" in client.get(page_of(study)).content.decode()
    assert process_row("plan", Preregistration.objects.get().pk)
    row = Preregistration.objects.get()
    shown = read(client, page_of(study)).content.decode()
    assert row.sha256 in shown
    assert "Nothing differs so far" in shown
    body = client.get(f"{page_of(study)}1.json").content
    assert hashlib.sha256(body).hexdigest() == row.sha256
    plan = json.loads(body)
    assert (plan["raters_per_task"], plan["items"]["count"], plan["figures"]) == (
        study.redundancy, study.items.count(), ["alpha_interval"],
    )  # fmt: skip
    assert plan["stop_rules"] == "After 4 answers."
    assert row.sha256 in client.get(f"{page_of(study)}1.md").content.decode()
    assert client.get(f"{page_of(study)}1.exe").status_code == 404
    assert client.get(f"{page_of(study)}2.json").status_code == 404


def test_stop_rules_are_needed(client, study):
    response = client.post(page_of(study), {"stop_rules": ""})
    assert response.status_code == 422
    assert not Preregistration.objects.exists()


def test_after_the_first_answer_it_is_too_late(client, study, rater):
    answer(study, rater)
    response = client.post(page_of(study), {"stop_rules": "x"})
    assert response.status_code == 422
    assert TOO_LATE in response.content.decode()
    assert "Register plan</button>" not in client.get(page_of(study)).content.decode()
    with pytest.raises(StudyRefusedError):
        register_plan(study, WORDS, None)


def test_an_answer_that_comes_while_it_is_registered_refuses_it(study, rater):
    row = register_plan(study, WORDS, None)
    answer(study, rater)
    process_row("plan", row.pk)
    row.refresh_from_db()
    assert (row.status, row.reason, row.body, row.registered_at) == ("failed", TOO_LATE, "", None)


def test_the_database_refuses_to_change_or_delete_a_registered_plan(study):
    row = registered(study)
    rows = Preregistration.objects.filter(pk=row.pk)
    for change in ({"body": "{}"}, {"sha256": "0" * 64}, {"registered_at": None}, {"chosen": {}}, {"number": 7}):
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        rows.delete()
    row.refresh_from_db()
    assert hashlib.sha256(row.body.encode()).hexdigest() == row.sha256


def test_what_was_done_otherwise_is_listed(client, study, owner, rater):
    registered(study)
    answer(study, rater)
    publish_guidelines(study, "Other guidelines.", owner)
    withdraw(study.items.last(), "Broken.", owner)
    study.questions.filter(key="how_well").update(text="How badly?")
    shown = read(client, page_of(study)).content.decode()
    for text in ("Number of items", "Guidelines", "Question how_well", "How badly?", "2 answers by 1 person"):
        assert text in shown, text
    assert "Raters per task</th>" not in shown
    assert "Nothing differs" not in shown


def test_a_later_plan_has_the_next_number_and_both_stay(client, study):
    first, second = registered(study), registered(study, stop_rules="After 5.")
    assert (first.number, second.number) == (1, 2)
    shown = client.get(page_of(study)).content.decode()
    assert first.sha256 in shown
    assert second.sha256 in shown


def test_the_plan_of_a_blinded_study_names_no_system_and_is_the_same_after_unblinding(study):
    named = json.loads(registered(study).body)
    Study.objects.filter(pk=study.pk).update(options={**study.options, "blind_researchers": True})
    coded = json.loads(registered(Study.objects.get(pk=study.pk)).body)
    assert coded["items"] == named["items"]
    assert "system-north" not in json.dumps(coded)


def test_a_plan_goes_with_its_study_and_forgets_its_person(study, owner):
    row = registered(study, owner)
    Study.objects.filter(pk=study.pk).update(status="closed")
    erase_study(Study.objects.get(pk=study.pk), owner)
    assert not Preregistration.objects.filter(pk=row.pk).exists()


def test_annotators_never_see_it(client, study, rater):
    registered(study)
    client.force_login(rater)
    for path in (page_of(study), f"{page_of(study)}1.json"):
        assert client.get(path).status_code == 404


def test_the_report_names_the_plan(client, study, owner):
    row = registered(study, owner)
    add_member(study, owner, "owner", None)
    shown = read(client, f"/studies/{study.slug}/report/").content.decode()
    assert row.sha256 in shown
    assert page_of(study) in shown


def imported_again(study, folder):
    Study.objects.filter(pk=study.pk).update(status=Study.Status.CLOSED)
    erase_study(Study.objects.get(pk=study.pk), None)
    return import_study(folder).study


def test_a_plan_comes_back_with_its_bytes_and_is_marked_as_registered_elsewhere(client, study, tmp_path):
    row = registered(study)
    export_study(study, tmp_path / "first")
    again = imported_again(study, tmp_path / "first")
    found = Preregistration.objects.get(study=again)
    assert (found.body, found.sha256, found.registered_at) == (row.body, row.sha256, row.registered_at)
    assert row.imported_at is None
    assert found.imported_at > found.registered_at
    export_study(again, tmp_path / "second")
    plan = "preregistration/1.json"
    assert (tmp_path / "first" / plan).read_bytes() == (tmp_path / "second" / plan).read_bytes()
    assert import_study(tmp_path / "first").added.get("preregistration") == 0
    page = render_to_string("preregistration/_plans.html", {"study": again, "plans": [(found, found.parsed_body())]})
    assert "Registered elsewhere" in page
    assert "UTC, before the first answer." not in page


@pytest.mark.parametrize(
    ("change", "said"),
    [({"schema": "other/1"}, "schema"), ({"number": 0}, "number"), ({"registered_at": "yesterday"}, "registered_at"),
     ({"title": None}, "title"), ({"hypotheses": "South."}, "another plan 1")],
)  # fmt: skip
def test_a_plan_that_is_none_or_contradicts_the_studys_is_refused(study, tmp_path, change, said):
    registered(study)
    export_study(study, tmp_path / "out")
    imported_again(study, tmp_path / "out")
    path = tmp_path / "out" / "preregistration" / "1.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ImportRefusedError, match=said):
        import_study(tmp_path / "out")
    assert Preregistration.objects.count() == 1
