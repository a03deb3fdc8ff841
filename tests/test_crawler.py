"""Reading changes nothing, and nothing changes without a token: checks 9, and what error pages say."""

import re

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from accounts.signing_in import issue_link
from annotation.inviting import invite
from tests.test_routes import ROUTES, world  # noqa: F401 - a fixture

LEAVE = re.compile(r"(?:href|hx-get)=\"(/[^\"#]*)")


def dump():
    """Every row of every table."""
    return {
        model._meta.label: list(model._base_manager.order_by(model._meta.pk.name).values())
        for model in apps.get_models(include_auto_created=True)
    }


def test_check_9_every_get_of_a_superuser_leaves_the_database_as_it_was(world):  # noqa: F811
    clients, address = world
    client = clients["superuser"]
    client.get("/")
    before, seen, waiting = dump(), set(), ["/", *(address(route) for route in ROUTES)]
    while waiting:
        path = waiting.pop().replace("&amp;", "&")
        if path in seen or path.startswith("/static/"):
            continue
        seen.add(path)
        response = client.get(path)
        assert response.status_code < 500, path
        if response.status_code in (301, 302):
            waiting.append(response["Location"])
        elif response["Content-Type"].startswith("text/html"):
            waiting.extend(link for link in LEAVE.findall(response.content.decode()) if len(seen) < 600)
    assert len(seen) > 150
    assert dump() == before


@pytest.mark.parametrize("name", ["owner", "annotator", "superuser"])
def test_check_9_no_post_is_taken_without_a_token(world, name):  # noqa: F811
    clients, address = world
    client = Client(enforce_csrf_checks=True)
    client.cookies = clients[name].cookies
    before = dump()
    for route in ROUTES:
        response = client.post(address(route), {"to": "x"})
        assert response.status_code in (403, 405), f"{route}: {response.status_code}"
    assert dump() == before


def test_check_9_links_and_invitations_are_not_taken_without_a_token(study, owner):
    client = Client(enforce_csrf_checks=True)
    for path in (issue_link(owner), invite(study, "annotator", owner)[0]):
        response = client.post(path)
        assert response.status_code == 403
        assert "This form is no longer valid" in response.content.decode()


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nothing/", 404, "There is nothing here"),
        ("/admin/login/", 403, "You may not do this"),
        ("/admin/annotation/item/?study__slug=x", 400, "could not be understood"),
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
    assert "Something broke on our side" in page
    assert response["X-Request-Id"] in page
    assert "CANARY" not in page
    assert "Traceback" not in page


def test_check_4_odd_ids_are_not_found_and_break_nothing(client, study, owner):
    client.force_login(owner)
    for number in ("0", "99999999999999999999999999"):
        for step in ("remove", "restore", "role"):
            assert client.post(f"/studies/study/people/{number}/{step}/").status_code == 404
        assert client.post(f"/studies/study/invitations/{number}/revoke/").status_code == 404
    assert client.get(reverse("annotation:study", args=["no-such-study"])).status_code == 404
    assert client.get("/studies/study%00/").status_code == 404
