"""Every form of every page, the admin's included.

What changes a row when it is sent also adds to the audit, and no text in any field of any form ends in an error.
"""

import json
import warnings
from urllib.parse import urlsplit

import pytest
from django.apps import apps
from django.db import transaction
from django.urls import Resolver404, resolve

from accounts.models import AuditEntry
from annotation.models import Item, Rater, Study
from config.prepared_sql import update
from tests.changed_rows import changes
from tests.hostile_strings import STRINGS
from tests.page_forms import forms_of, page_in
from tests.test_audited_addresses import ALWAYS, BOOKKEEPING, LEFT_OUT
from tests.test_routes import row_of
from tests.world import PROGRAMS, ROUTES, SOME_ROUTES, on_routes

pytestmark = pytest.mark.timeout(3600)
READERS = ("owner", "annotator", "superuser")
LATER = ("limited_staff",)
"""Who opens the same forms of the admin as the superuser."""
WRITERS = (*READERS, "anonymous")
"""Who sends hostile texts."""
PARTS = 12


def route_at(path: str) -> str | None:
    try:
        return resolve(path).view_name
    except Resolver404:
        return None


def newest() -> int:
    """The number of the newest entry of the audit: a deleted study takes its own with it."""
    return AuditEntry.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


@pytest.fixture(scope="module")
def forms_read():
    """The forms that have been read, by reader and routes, so that all tests of this file open each page once."""
    return {}


@pytest.fixture
def forms(world, forms_read):
    """A function that gives the forms of all pages of these routes: who sees each, and the form."""
    clients, address = world

    def forms_for(routes, readers):
        for name in readers:
            key = (name, tuple(routes))
            if key not in forms_read:
                paths = [address(route) for route in routes]
                forms_read[key] = [
                    (name, form) for path in paths for form in forms_of(path, page_in(clients[name].get(path)))
                ]
        return [found for name in readers for found in forms_read[name, tuple(routes)]]

    return forms_for


@pytest.mark.parametrize("readers", [READERS[:2], pytest.param((*READERS[2:], *LATER), marks=pytest.mark.thorough)])
@on_routes
def test_every_form_of_every_page_that_changes_a_row_adds_to_the_audit(world, forms, routes, readers):
    clients, _ = world
    seen, recorded, silent, tried = set(), set(), [], set()
    left_out = {model._meta.label for model in apps.get_models() if model._meta.app_label in LEFT_OUT}
    for name, form in forms(routes, readers):
        route = route_at(urlsplit(form.address).path)
        for button in form.buttons if route else ():
            key = (route, button, tuple(sorted(form.fields)), name)
            if key in seen:
                continue
            seen.add(key)
            tried.add(route)
            cookies = clients[name].cookies.copy()
            known = newest()
            with transaction.atomic():
                with changes() as found:
                    response = clients[name].post(form.address, form.sent(button))
                    page_in(response)
                if response.status_code < 400:
                    if newest() > known:
                        recorded.add(route)
                    elif found - ALWAYS - left_out - BOOKKEEPING.get(route, set()):
                        silent.append(f"{route} by {name} {button}: {sorted(found - ALWAYS - left_out)}")
                transaction.set_rollback(True)
            clients[name].cookies = cookies
    assert silent == []
    if routes is SOME_ROUTES:
        assert len(recorded) >= (25 if "owner" in readers else 1)


def typed_fields(found):
    """Each text field of each form that somebody can fill, once: who, the form and the field's name."""
    seen = set()
    for name, form in found:
        target = route_at(urlsplit(form.address).path)
        for field in form.typed:
            if target and (target, field) not in seen:
                seen.add((target, field))
                yield name, form, field


def status_of(client, form, field, text):
    """What the server answers to the form with this text; what it wrote is undone."""
    cookies = client.cookies.copy()
    client.raise_request_exception = False
    with transaction.atomic():
        response = client.post(form.address, {**form.sent(form.buttons[0]), field: [text]})
        page_in(response)
        transaction.set_rollback(True)
    client.raise_request_exception = True
    client.cookies = cookies
    return response.status_code


def wrong_in(clients, found, texts_of):
    """The fields and texts that end in an error; `texts_of` gives the texts for the field of a number."""
    wrong = []
    for number, (name, form, field) in enumerate(found):
        for text in texts_of(number):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                status = status_of(clients[name], form, field, text.encode("utf-8", "surrogatepass"))
            if status >= 500:
                wrong.append(f"{status}: {field!r} of {form.address} by {name}: {ascii(text)[:60]}")
    return wrong


@on_routes
def test_no_text_in_any_field_of_any_form_is_an_error(world, forms, routes):
    """Another text in each field; the other test tries all of them in each, on both databases."""
    clients, _ = world
    found = list(typed_fields(forms(routes, WRITERS)))
    assert len(found) > (20 if routes is SOME_ROUTES else 1)
    assert wrong_in(clients, found, lambda number: [STRINGS[7 * number % len(STRINGS)]]) == []


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(PARTS))
def test_no_text_of_all_in_any_field_of_any_form_is_an_error(world, forms, part):
    clients, _ = world
    found = list(typed_fields(forms(ROUTES, WRITERS)))
    assert wrong_in(clients, found, lambda _: STRINGS[part::PARTS]) == []


OUTPUT = {"id": "system-north", "text": "North."}
API = {
    "api:study": ("token_account", "PATCH", {"title": "Another title"}),
    "api:states": ("token_account", "POST", {"verb": "pause", "reason": "A break."}),
    "api:item_steps": ("token_account", "POST", {"verb": "add_rater", "reason": "One more."}),
    "api:items": ("token_write", "POST", {"id": "n", "document": "A.", "instruction": "Do.", "outputs": [OUTPUT]}),
    "api:ratings": ("token_write", "POST", {"item": "item-1", "output": "system-north", "rater": "new",
                                            "question": "follows", "value": True}),
    "api:scores": ("token_write", "POST", {"item": "item-1", "output": "system-north", "rater": "machine",
                                           "rater_kind": "model", "question": "follows", "value": True}),
    "api:kept_exports": ("token_account", "POST", {"form": "csv"}),
    "api:work_next": ("token_annotate", "POST", {}),
    "api:work_submit": ("token_annotate", "POST", {
        "fields": {"q-follows": "true", "q-how_well": "4"}, "revision": 0,
        "client_key": "0d6a4f0e-1f35-4c6e-8a51-2f4f0e1c9d11",
    }),
    "api:work_skip": ("token_annotate", "POST", {"reason": "I cannot read it."}),
    "api:work_pulse": ("token_annotate", "POST", {"visible_seconds": 5}),
}  # fmt: skip
"""A request that each address accepts with which somebody here may write."""
LINES = ("api:items", "api:ratings", "api:scores")
NO_TRACE = {"api:work_next": "the task that the annotator has already", "api:work_pulse": "a lease and seconds"}
ACCEPTED = {"200", "201", "202", "400", "409"}
OF_FILES = {"api:adjudications", "api:uploads", "api:upload_parts", "api:import_upload"}
"""Addresses whose requests depend on a file or an answer of the study: tests of their own try them."""


def test_every_address_of_the_api_that_writes_is_tried():
    writing = {
        route
        for route in ROUTES
        for method in ("POST", "PATCH", "PUT", "DELETE")
        if route.startswith("api:") and {row_of(route, method)[name] for name in PROGRAMS} & ACCEPTED
    }
    assert writing - OF_FILES == set(API)


@pytest.mark.parametrize("route", API)
def test_what_a_program_writes_by_the_api_is_in_the_audit(world, route):
    clients, address = world
    name, method, body = API[route]
    known, kind = newest(), "application/x-ndjson" if route in LINES else "application/json"
    with transaction.atomic():
        response = clients[name].generic(method, address(route), json.dumps(body), content_type=kind)
        written = newest() > known
        transaction.set_rollback(True)
    assert response.status_code < 300, response.content
    assert written == (route not in NO_TRACE)


def test_what_a_statement_changes_is_noted(world):
    with changes() as found:
        Study.objects.filter(slug="study").update(title="Other")
        Study.objects.filter(slug="no such study").update(title="Other")
        list(Item.objects.all())
        update(Rater, {"metadata": {}}, "id = %s", [Rater.objects.first().pk])
    assert found == {"annotation.Study", "annotation.Rater"}


PAGE = """
<form method="post" action="save/"><input type="hidden" name="a" value="1"><input name="b" required>
<select name="c"><option value="">-</option><option value="x">X</option></select><textarea name="d">
old</textarea><input type="radio" name="e" value="1"><input type="radio" name="e" value="2" checked>
<input type="checkbox" name="f"><button name="g" value="2">Go</button><button>Other</button></form>
<form method="get"><input name="q"></form><button hx-post="../stop/">Stop</button>
"""


def test_forms_are_read_as_a_browser_sends_them():
    form, stop = forms_of("/studies/one/", PAGE)
    assert (form.address, stop.address) == ("/studies/one/save/", "/studies/stop/")
    assert form.fields == {"a": ["1"], "b": ["other"], "c": ["x"], "d": ["old"], "e": ["2"]}
    assert (form.buttons, stop.buttons) == ([("g", "2"), None], [None])
    assert form.sent(("g", "2")) == {**form.fields, "g": ["2"]}
    assert form.typed == ["b", "d"]
