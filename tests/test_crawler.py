"""Reading changes nothing, and nothing changes without a form token."""

import re

import pytest
from django.apps import apps
from django.test import Client

from reports.models import KeptReport
from tests.crawling import OF_A_KIND, Addresses
from tests.protecting_headers import lacking
from tests.world import SOME_ROUTES, on_routes

pytestmark = pytest.mark.postgresql
LEAVE = re.compile(r"(?:href|hx-get)=\"(/[^\"#]*)")

BY_SIGNED_LINK = ("mail:stop_mail",)
"""Mail programs post there without a page (RFC 8058); the link in the mail is signed."""


def dump():
    """Every row of every table, except of reports, which a page requests if they are not kept yet."""
    return {
        model._meta.label: list(model._base_manager.order_by(model._meta.pk.name).values())
        for model in apps.get_models(include_auto_created=True)
        if model is not KeptReport
    }


ADMIN = "/admin/"


@pytest.mark.quick
def test_every_get_of_a_superuser_leaves_the_database_as_it_was(world):
    clients, address = world
    start = ["/", *(path for route in SOME_ROUTES if not (path := address(route)).startswith(ADMIN))]
    seen = crawled(clients["superuser"], start, OF_A_KIND, lambda path: not path.startswith(ADMIN))
    assert len(seen) > 150


@on_routes
def test_every_get_of_a_superuser_in_the_admin_leaves_the_database_as_it_was(world, routes):
    clients, address = world
    start = [ADMIN, *(path for route in routes if (path := address(route)).startswith(ADMIN))]
    of_a_kind = 1 if routes is SOME_ROUTES else None
    seen = crawled(clients["superuser"], start, of_a_kind, lambda path: path.startswith(ADMIN))
    assert len(seen) > 100


def crawled(client, start, of_a_kind, may_follow):
    """Open all of `start` and of what they link to; return the addresses."""
    client.get("/")
    before = dump()
    waiting = Addresses(start, of_a_kind, 600)
    for path in waiting:
        response = client.get(path)
        assert response.status_code < 500, path
        assert lacking(response) == [], path
        if response.streaming:
            b"".join(response.streaming_content)  # to its end, where its file is closed
        if response.status_code in (301, 302):
            waiting.add(filter(may_follow, [response["Location"]]))
        elif response["Content-Type"].startswith("text/html"):
            waiting.add(filter(may_follow, LEAVE.findall(response.content.decode())))
    assert dump() == before
    return waiting.seen


@on_routes
@pytest.mark.parametrize("name", ["owner", "annotator", "superuser"])
def test_no_post_is_accepted_without_a_token(world, name, routes):
    clients, address = world
    client = Client(enforce_csrf_checks=True)
    client.cookies = clients[name].cookies
    before = dump()
    for route in routes:
        if route in BY_SIGNED_LINK:
            continue
        response = client.post(address(route), {"to": "x"})
        assert response.status_code in (403, 405), f"{route}: {response.status_code}"
    assert dump() == before
