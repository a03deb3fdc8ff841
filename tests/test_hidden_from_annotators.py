"""What researchers say about systems, judges, items and outputs reaches nobody who annotates, at any address."""

import pytest

from annotation.models import Item, Output, Study
from config.erasure import open_erasure
from tests.world import on_routes

pytestmark = pytest.mark.postgresql
CANARY = "HIDDEN-"
PEOPLE = ("anonymous", "annotator", "annotator_elsewhere", "token_annotate")


@pytest.fixture
def described(world):
    facts = {"family": "HIDDEN-FAMILY", "model": "HIDDEN-MODEL", "baseline": True}
    Study.objects.update(systems={"HIDDEN-SYSTEM": facts}, judges={"HIDDEN-JUDGE": {"family": "HIDDEN-FAMILY"}})
    with open_erasure("test"):
        Item.objects.update(source="HIDDEN-SOURCE", gold={"follows": "HIDDEN-GOLD"}, feedback="HIDDEN-FEEDBACK")
        Output.objects.update(edited_from="HIDDEN-OUTPUT", writer="model")
    return world


def sent(client, address):
    response = client.get(address)
    body = b"".join(response) if response.streaming else response.content
    return body.decode(errors="replace") + str(response.headers)


@on_routes
def test_no_address_shows_annotators_what_only_researchers_may_know(described, routes):
    clients, address = described
    shown = [
        (name, route) for name in PEOPLE for route in routes if CANARY in sent(clients[name], address(route))
    ]  # fmt: skip
    assert shown == []


def test_those_who_run_the_study_do_see_it(described):
    clients, _ = described
    assert CANARY in sent(clients["owner"], "/api/studies/study/")
    assert CANARY in sent(clients["token_read"], "/api/studies/study/")
