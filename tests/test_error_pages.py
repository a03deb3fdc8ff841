"""What people see if a request is refused or fails."""

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from accounts.models import Person
from accounts.sign_in_links import issue_link
from annotation.members.invitations import invite


def test_links_and_invitations_are_not_accepted_without_a_token(study, owner):
    client = Client(enforce_csrf_checks=True)
    for path in (issue_link(owner), invite(study, "annotator", owner)[0]):
        response = client.post(path)
        assert response.status_code == 403
        assert "This form is no longer valid" in response.content.decode()


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nothing/", 404, "Page not found"),
        ("/admin/login/", 403, "You are not allowed to do this"),
        ("/admin/annotation/item/?study__slug=x", 400, "This request is not valid"),
    ],
)
def test_error_pages_say_what_to_do_and_name_the_request(client, admin_user, path, status, words):
    client.force_login(admin_user)
    response = client.get(path)
    page = response.content.decode()
    assert response.status_code == status
    assert words in page
    assert response["X-Request-Id"] in page
    assert 'href="/"' in page
    as_json = client.get(path, headers={"Accept": "application/json"})
    assert (as_json.status_code, as_json.json()["request_id"]) == (status, as_json["X-Request-Id"])


def test_a_broken_view_shows_no_stack_trace(client, owner, monkeypatch):
    def broken(person):
        raise RuntimeError("CANARY of the inside")

    monkeypatch.setattr("annotation.views.home.work_of", broken)
    client.force_login(owner)
    client.raise_request_exception = False
    response = client.get("/")
    page = response.content.decode()
    assert response.status_code == 500
    assert "Something went wrong on our side" in page
    assert response["X-Request-Id"] in page
    assert "CANARY" not in page
    assert "Traceback" not in page


@pytest.mark.parametrize("accepted", ["text/html", "application/json"])
def test_a_busy_site_does_not_claim_that_an_earlier_commit_was_undone(client, owner, monkeypatch, accepted):
    def busy_after_a_commit(person):
        Person.objects.filter(pk=person.pk).update(full_name="Renamed")
        raise OperationalError("database is locked")

    monkeypatch.setattr("annotation.views.home.work_of", busy_after_a_commit)
    client.force_login(owner)
    response = client.get("/", headers={"Accept": accepted})
    text = response.content.decode()
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert Person.objects.get(pk=owner.pk).full_name == "Renamed"
    assert "was not completed" in text
    assert "nothing was changed" not in text


def test_odd_ids_are_not_found_and_break_nothing(client, study, owner):
    client.force_login(owner)
    for number in ("0", "99999999999999999999999999"):
        for step in ("remove", "restore", "role"):
            assert client.post(f"/studies/study/people/{number}/{step}/").status_code == 404
        assert client.post(f"/studies/study/invitations/{number}/revoke/").status_code == 404
    assert client.get(reverse("annotation:study", args=["no-such-study"])).status_code == 404
    assert client.get("/studies/study%00/").status_code == 404
