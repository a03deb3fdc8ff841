"""Kept exports through the API: started, awaited, downloaded, by tokens and by signed-in people."""

import hashlib

import pytest
from django.test import Client

from accounts.models import AuditEntry
from annotation.members.membership import add_member
from annotation.members.tokens import issue_token
from config.background.claiming import process_row
from reports.kept.kept_exports import place_of, remove
from reports.models import KeptExport
from tests.api.conftest import Program, problem
from tests.reports.compared_study import imported
from tests.reports.kept.conftest import _without_derived_tables  # noqa: F401 - used by each test of the file

pytestmark = [pytest.mark.quick, pytest.mark.django_db]


@pytest.fixture
def study(tmp_path, settings, owner):
    settings.VAR = tmp_path / "var"
    made = imported(tmp_path / "in", item_count=6)
    add_member(made, owner, "owner", None)
    return made


@pytest.fixture
def program(study, owner):
    return Program(issue_token(study, owner, name="reads", scope="read"))


@pytest.fixture
def base(study):
    return f"/api/studies/{study.slug}/exports/"


def test_a_program_starts_awaits_and_downloads_an_export(program, base):
    started = program.post(f"{base}?format=csv")
    assert started.status_code == 202
    assert int(started["Retry-After"]) >= 1
    body = started.json()
    assert (body["format"], body["status"], body["file"]) == ("csv", "queued", None)
    assert program.get(started["Location"]).status_code == 202
    problem(program.get(f"{started['Location']}file"), 409)
    assert process_row("export", body["id"])
    done = program.get(started["Location"])
    assert done.status_code == 200
    told = done.json()
    assert (told["status"], told["current"]) == ("done", True)
    data = b"".join(program.get(told["file"]))
    assert (len(data), hashlib.sha256(data).hexdigest()) == (told["bytes"], told["sha256"])
    assert "ratings.csv" in [one["name"] for one in told["files"]]
    again = program.post(f"{base}?format=csv")
    assert (again.status_code, again.json()["id"]) == (200, body["id"])
    assert [one["id"] for one in program.get(base).json()["exports"]] == [body["id"]]
    entries = AuditEntry.objects.filter(action__in=["export requested", "export downloaded"]).order_by("pk")
    assert [one.action for one in entries] == ["export requested", "export downloaded", "export requested"]


def test_a_removed_file_is_gone_and_the_state_says_why(program, base):
    pk = program.post(base).json()["id"]
    process_row("export", pk)
    remove(KeptExport.objects.all(), "An item was withdrawn.")
    assert "An item was withdrawn." in problem(program.get(f"{base}{pk}/file"), 410)["detail"]
    told = program.get(f"{base}{pk}/").json()
    assert (told["file"], told["removed_for"], told["current"]) == (None, "An item was withdrawn.", False)
    assert told["sha256"]


def test_a_signed_in_researcher_starts_one_with_the_form_token_only(study, owner, base):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    assert client.post(base).status_code == 403
    client.get(f"/studies/{study.slug}/export/")
    token = client.cookies["csrftoken"].value
    assert client.post(base, b"", "application/json", headers={"X-CSRFToken": token}).status_code == 202
    pk = KeptExport.objects.get().pk
    process_row("export", pk)
    response = client.get(f"{base}{pk}/file")
    assert b"".join(response) == place_of(KeptExport.objects.get()).read_bytes()


def test_unknown_formats_and_parameters_are_refused(program, base):
    assert "format must be" in problem(program.post(f"{base}?format=exe"), 400)["detail"]
    problem(program.post(f"{base}?form=csv"), 400)
    problem(program.get(f"{base}?format=csv"), 400)
    problem(program.get(f"{base}999999/"), 404)


def test_an_annotator_gets_nothing(study, rater, base):
    add_member(study, rater, "annotator", None)
    client = Client()
    client.force_login(rater)
    for path in (base, f"{base}1/", f"{base}1/file"):
        assert client.get(path).status_code == 404
    assert client.post(base).status_code == 404
