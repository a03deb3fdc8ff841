"""Every route, method and person gives exactly the status that `routes.csv` says.

The routes come from the URL resolver; one without a row fails. A row names a route, or several by a pattern
(the first row that matches counts), some methods, and one status per person.
"""

import csv
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest
from django.contrib.admin import AdminSite
from django.db import transaction
from django.template.backends.django import Template

from api import documentation
from tests.world import ENDED, PEOPLE, PROGRAMS, ROUTES, is_alike

TABLE = Path(__file__).with_name("routes.csv")
"""Who may do what does not depend on the database, so this runs on SQLite; `test_crawler.py` on PostgreSQL."""
NO_SUCH_METHOD, NOT_SIGNED_IN = "405", "401"
ONE = "owner"
"""Who asks with a method that a view refuses to everybody, before it looks who asks; and with HEAD, which is a GET."""
FOR_ALL = ("anonymous", ONE, "token_write")
"""Who asks with a method that an address of the API refuses to all that it knows, and the others before."""
AT_THE_ADMIN, AS_FORMS = ("anonymous", "owner", "limited_staff", "superuser"), ("GET", "POST")
"""Who asks for a page of the admin, and how: one view lets in staff and nobody else, and takes any other method as GET.

Of tokens, for which a page has no status of its own, one asks."""
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


@pytest.fixture(autouse=True)
def _no_page_is_written(monkeypatch):
    """The status is decided before a page is written, which takes longer; the crawls read the pages."""
    monkeypatch.setattr(Template, "render", lambda self, context=None, request=None: "")
    monkeypatch.setattr(AdminSite, "each_context", lambda self, request: {})
    monkeypatch.setattr(documentation, "described", lambda: {"paths": {}})


@cache
def rows():
    with TABLE.open(encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    return list(csv.DictReader(lines))


@cache
def rows_of(route):
    return [row for row in rows() if fnmatchcase(route, row["route"])]


@cache
def row_of(route, method):
    return next((row for row in rows_of(route) if method in row["methods"].split()), None)


def status_in(row, person):
    """The status that a row states; callers without a column count as anonymous."""
    return row.get(person) or row["anonymous"]


class Rollback(Exception):
    pass


def status_of(client, method, address):
    """Return the status; discard what the request wrote and the cookies that it set."""
    cookies = client.cookies.copy()
    try:
        with transaction.atomic():
            response = client.generic(method, address)
            status = response.status_code
            if response.streaming:
                b"".join(response)  # read to its end, the file behind it is closed
            raise Rollback
    except Rollback:
        client.cookies = cookies
        return status


def test_every_route_and_method_has_a_row():
    missing = [f"{route},{method}" for route in ROUTES for method in METHODS if row_of(route, method) is None]
    assert not missing, "no row in routes.csv for " + "\n".join(missing)


def test_no_row_is_left_over():
    used = {tuple(row_of(route, method).items()) for route in ROUTES for method in METHODS if row_of(route, method)}
    assert [row["route"] for row in rows() if tuple(row.items()) not in used] == []


def is_at_the_admin(route):
    return route.startswith("admin:") and route != "admin:index"


def is_asked(route, method, person):
    """Whether `make test` asks for this cell of the table; `make thorough` asks for all.

    Callers whose rights have ended are asked for if those rights would change the answer.
    """
    row = row_of(route, method)
    statuses = {status_in(row, one) for one in PEOPLE} if row else set()
    if statuses == {NO_SUCH_METHOD} or method == "HEAD":
        return person == ONE
    if statuses == {NO_SUCH_METHOD, NOT_SIGNED_IN}:
        return person in FOR_ALL
    if person in ENDED:
        return bool(row) and status_in(row, person) != status_in(row, ENDED[person])
    if is_at_the_admin(route):
        return person in AT_THE_ADMIN and method in AS_FORMS
    return person not in PROGRAMS or person == "token_write" or bool(row and row[person])


def wrong_statuses(world, route, asked=is_asked):
    """The cells of a route that are not as in the table, as lines; each request is rolled back."""
    clients, address_of = world
    address, wrong = address_of(route), []
    for method in METHODS:
        row = row_of(route, method)
        for person in PEOPLE:
            if asked(route, method, person):
                status = status_of(clients[person], method, address)
                expected = row and status_in(row, person)
                if str(status) != expected:
                    wrong.append(f"{route},{method},{person}: {status}, not {expected}")
    return wrong


@pytest.mark.parametrize("route", [pytest.param(one, marks=[pytest.mark.thorough] * is_alike(one)) for one in ROUTES])
def test_every_person_gets_exactly_the_status_of_the_table(world, route):
    assert wrong_statuses(world, route) == []


@pytest.mark.thorough
@pytest.mark.parametrize("route", ROUTES)
def test_the_rest_of_the_table_is_right(world, route):
    assert wrong_statuses(world, route, lambda *cell: not is_asked(*cell)) == []


def test_the_api_answers_callers_whose_rights_have_ended_with_401():
    """By the table, which has no column for them."""
    others = {
        f"{method} {route}: {status_in(row, person)}"
        for person in ENDED for route in ROUTES if route.startswith("api:") and route != "api:docs"
        for method in METHODS if status_in(row := row_of(route, method), person) != "401"
    }  # fmt: skip
    assert others == set()
    assert {*rows()[0]} & {*ENDED} == set()


def test_only_public_pages_are_open_without_a_sign_in():
    """By the table, whose statuses are those that the site gives."""
    public = {
        "accounts:language",
        "accounts:link",
        "accounts:reset_password",
        "accounts:sign_in",
        "accounts:sign_out",
        "admin_sign_out",
        "annotation:invitation",
        "annotation:invitation_opened",
        "healthz",
        "metrics",
        "readyz",
        "mail:confirm_address",
        "crowds:enter",
        "mail:forgotten_password",
        "crowds:join",
        "mail:stop_mail",
        "sign_on:begin",
        "sign_on:return",
    }
    past = [
        f"{method} {route}: {row['anonymous']}"
        for route in ROUTES if route not in public
        for method in METHODS
        if (row := row_of(route, method)) and row["anonymous"] not in ("302", "401", "403", "405")
    ]  # fmt: skip
    assert past == []
