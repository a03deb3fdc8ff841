"""Every route, method and person gives exactly the status that `routes.csv` says.

The routes come from the URL resolver; one without a row fails. A row names a route, or several by a pattern
(the first row that matches counts), some methods, and one status a person.
"""

import csv
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest
from django.db import transaction
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, get_resolver, reverse

from accounts.auditing import record
from accounts.models import Person
from accounts.signing_in import issue_link
from annotation.assigning import next_assignment
from annotation.checking import check
from annotation.inviting import invite
from annotation.membership import add_member, rater_for
from annotation.models import Batch, DraftConflict, Invitation, Output, Rating, Slot, TaskOutput, Token
from annotation.planning import plan_chunk
from annotation.reviewing import review_span, reviewer_for
from annotation.running import make_live
from annotation.submitting import Submission, submit
from annotation.tokens import issue
from tests.engine import one_of_each
from tests.sessions.rows import add_session_rows

TABLE = Path(__file__).with_name("routes.csv")
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
PEOPLE = (
    "anonymous", "annotator", "annotator_elsewhere", "researcher", "owner", "researcher_elsewhere", "limited_staff",
    "superuser", "deactivated", "token_read", "token_write",
)  # fmt: skip
OF_MODEL = {
    "annotation:revoke_invitation": "invitation", "annotation:revoke_token": "token", "llm:call": "call",
    "llm:try": "completion", "llm:stop_try": "completion", "retrieval:trial": "trialsearch",
    "retrieval:stop_build": "indexbuild", "revision_sessions:studied": "revisionsession",
}  # fmt: skip
"""Whose number stands in an address, where it is no membership's."""
PROGRAMS = ("token_read", "token_write")
"""Tokens that the owner made. Where a row says nothing of them they are nobody: pages know no tokens."""


@cache
def rows():
    with TABLE.open(encoding="utf-8", newline="") as file:
        lines = [line for line in file if not line.startswith("#")]
    return list(csv.DictReader(lines))


def routes(patterns=None, namespace="", path="/"):
    """Names of all routes of the resolver, with their namespaces; what has no name goes by its address."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        here = path + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield namespace + pattern.name if pattern.name else here
        else:
            inner = namespace + (f"{pattern.namespace}:" if pattern.namespace else "")
            yield from routes(pattern.url_patterns, inner, here)


ROUTES = sorted(set(routes()))


def row_of(route, method):
    matching = (row for row in rows() if fnmatchcase(route, row["route"]) and method in row["methods"].split())
    return next(matching, None)


@pytest.fixture
def world(make_study):
    """A live study with one of everything, another study, a person of each kind, and where each route leads."""
    study, other = make_study("study"), make_study("other")
    people = {
        name: Person.objects.create(username=name, is_staff=name in ("limited_staff", "superuser"),
                                    is_superuser=name == "superuser")
        for name in PEOPLE if name != "anonymous" and name not in PROGRAMS
    }  # fmt: skip
    members = {
        name: add_member(where, people[name], role, None)
        for name, where, role in (
            ("owner", study, "owner"), ("researcher", study, "researcher"), ("annotator", study, "annotator"),
            ("deactivated", study, "owner"), ("annotator_elsewhere", other, "annotator"),
            ("researcher_elsewhere", other, "owner"), ("limited_staff", other, "researcher"),
        )
    }  # fmt: skip
    for one in (study, other):
        while plan_chunk(one):
            pass
        one.refresh_from_db()
        make_live(one, None)
    rater = rater_for(study, people["annotator"])
    first = next_assignment(study, rater)
    form = {"q-follows": ["true"], "q-how_well": ["5"]}
    annotation = submit(first, Submission(form=form, revision=0, guidelines_version=1))
    assignment = next_assignment(study, rater)
    conflict = DraftConflict.objects.create(assignment=assignment, base_version=0, body={})
    link = issue_link(people["annotator"])
    token = invite(study, "annotator", people["owner"])[0]
    clients = {name: Client() for name in PEOPLE}
    for name, person in people.items():
        clients[name].force_login(person)
    Person.objects.filter(username="deactivated").update(is_active=False)
    for name in PROGRAMS:
        secret = issue(study, people["owner"], name=name, scope=name.removeprefix("token_"))
        clients[name] = Client(headers={"Authorization": f"Bearer {secret}"})
    output = Output.objects.filter(item__study=study).first()
    objects = {
        "study": study, "guideline": study.guidelines.first(), "question": study.questions.first(),
        "membership": members["annotator"], "invitation": Invitation.objects.get(study=study), "rater": rater,
        "item": output.item, "output": output, "task": assignment.task,
        "slot": Slot.objects.filter(study=study).first(),
        "taskoutput": TaskOutput.objects.filter(task=assignment.task).first(), "assignment": assignment,
        "draftconflict": conflict, "annotation": annotation,
        "rating": Rating.objects.filter(annotation=annotation).first(),
        "batch": Batch.objects.create(study=study, number=0),
        "reviewer": reviewer_for(study, people["owner"]),
        "spotcheck": check(annotation, "ok", "", people["owner"], number=0),
        "spanreview": review_span(annotation.ratings.first(), 0, "confirmed", "It is.", people["owner"], number=0),
        "person": people["annotator"], "signinlink": people["annotator"].sign_in_links.get(),
        "token": Token.objects.filter(study=study).first(), "auditentry": record("seen", "nothing", actor=None),
        **one_of_each(study, people["owner"]), **session_rows(study, rater),
    }  # fmt: skip
    tokens = {"accounts:link": link.split("/")[-2], "annotation:invitation": token.split("/")[-2]}

    def address(route):
        if route.startswith("/"):
            model = route.split("/")[3] if "object_id" in route else ""
            number = str(objects[model].pk) if model else ""
            return route.replace("<path:object_id>", number).replace("(?P<url>.*)$", "nothing-here")
        if route.startswith("admin:"):
            return admin_address(route, objects)
        arguments = {"slug": study.slug, "key": assignment.key, "pk": members["annotator"].pk, "name": "items.jsonl",
                     "number": 1}  # fmt: skip
        if route in OF_MODEL:
            arguments["pk"] = objects[OF_MODEL[route]].pk
        if route == "llm:prompt":
            arguments |= {"app": "llm", "name": "try"}
        if route in tokens:
            arguments = {"token": tokens[route]}
        for wanted in ({}, {"slug"}, {"key"}, {"token"}, {"slug", "pk"}, {"slug", "name"}, {"slug", "app", "name"},
                       {"slug", "pk", "number"}):  # fmt: skip
            if set(wanted) <= set(arguments):
                try:
                    return reverse(route, kwargs={name: arguments[name] for name in wanted})
                except NoReverseMatch:
                    continue
        raise AssertionError(f"{route} has arguments that this table does not know")

    return clients, address


def session_rows(study, rater):
    """A session with a turn and a label, by their models' names."""
    session = add_session_rows(study, rater)
    turn = session.turns.get()
    return {"revisionsession": session, "turn": turn, "turnlabel": turn.labels.get()}


def admin_address(route, objects):
    name = route.removeprefix("admin:")
    if name in ("view_on_site",):
        return "/admin/r/1/1/"
    if name == "app_list":
        return "/admin/annotation/"
    if name == "auth_user_password_change":
        return reverse(route, args=[objects["person"].pk])
    parts = name.removeprefix("revision_").split("_")
    ours = ("annotation", "accounts", "config", "llm", "retrieval", "sessions")
    if parts[0] in ours and parts[-1] in ("change", "history", "delete"):
        return reverse(route, args=[objects[parts[1]].pk])
    return reverse(route)


class Rollback(Exception):
    pass


def status_of(client, method, address):
    """The status; what the request wrote and the cookies that it set are forgotten."""
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


@pytest.mark.parametrize("route", ROUTES)
def test_check_1_every_route_and_method_has_a_row(route):
    missing = [method for method in METHODS if row_of(route, method) is None]
    assert not missing, f"{route} has no row in routes.csv for {missing}"


def test_no_row_is_left_over():
    used = {tuple(row_of(route, method).items()) for route in ROUTES for method in METHODS if row_of(route, method)}
    assert [row["route"] for row in rows() if tuple(row.items()) not in used] == []


@pytest.mark.parametrize("route", ROUTES)
def test_check_2_every_person_gets_exactly_the_status_of_the_table(world, route):
    clients, address = world
    wrong = []
    for method in METHODS:
        row = row_of(route, method)
        for person in PEOPLE:
            status = status_of(clients[person], method, address(route))
            expected = row and (row[person] or row["anonymous"])
            if str(status) != expected:
                wrong.append(f"{route},{method},{person}: {status}, not {expected}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("route", ROUTES)
def test_check_1_nobody_unknown_gets_past_the_sign_in_but_where_it_is_written(world, route):
    public = {"accounts:sign_in", "accounts:sign_out", "accounts:link", "annotation:invitation", "admin_sign_out"}
    clients, address = world
    for method in METHODS:
        status = status_of(clients["anonymous"], method, address(route))
        assert route in public or status in (302, 401, 403, 405), f"{method} {route}: {status}"
