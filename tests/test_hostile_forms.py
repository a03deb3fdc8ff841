"""Hostile texts in every text field of every form of every page, sent by those who see it, never end in an error."""

import warnings
from urllib.parse import urlsplit

import pytest
from django.db import transaction

from tests.hostile_strings import STRINGS
from tests.page_forms import forms_of, page_in
from tests.test_audited_forms import route_at
from tests.world import ROUTES, on_routes

READERS = ("owner", "annotator", "superuser", "anonymous")
PARTS = 12
pytestmark = pytest.mark.timeout(3600)


def typed_fields(clients, address, routes):
    """Each text field of each form that somebody can fill, once: who, the form and the field's name."""
    seen = set()
    for name in READERS:
        for route in routes:
            path = address(route)
            for form in forms_of(path, page_in(clients[name].get(path))):
                target = route_at(urlsplit(form.address).path)
                for field in form.typed:
                    if target and (target, field) not in seen:
                        seen.add((target, field))
                        yield name, form, field


def status_of(client, form, field, text):
    """What the server answers to the form with this text; what it wrote is undone."""
    cookies = client.cookies.copy()
    with transaction.atomic():
        response = client.post(form.address, {**form.sent(form.buttons[0]), field: [text]})
        page_in(response)
        transaction.set_rollback(True)
    client.cookies = cookies
    return response.status_code


def wrong_in(clients, found, texts_of):
    """The fields and texts that end in an error; `texts_of` gives the texts for the field of a number."""
    wrong = []
    for number, (name, form, field) in enumerate(found):
        clients[name].raise_request_exception = False
        for text in texts_of(number):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                status = status_of(clients[name], form, field, text.encode("utf-8", "surrogatepass"))
            if status >= 500:
                wrong.append(f"{status}: {field!r} of {form.address} by {name}: {ascii(text)[:60]}")
    return wrong


@pytest.mark.one_database
@on_routes
def test_no_text_in_any_field_of_any_form_is_an_error(world, routes):
    """Another text in each field; the other test tries all of them in each, on both databases."""
    clients, address = world
    found = list(typed_fields(clients, address, routes))
    assert len(found) > 20
    assert wrong_in(clients, found, lambda number: [STRINGS[7 * number % len(STRINGS)]]) == []


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(PARTS))
def test_no_text_of_all_in_any_field_of_any_form_is_an_error(world, part):
    clients, address = world
    found = list(typed_fields(clients, address, ROUTES))
    assert wrong_in(clients, found, lambda _: STRINGS[part::PARTS]) == []
