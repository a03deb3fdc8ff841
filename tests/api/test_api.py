"""The API: authentication, reading, and the common form of all errors."""

import json
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from annotation.members.revoking import revoke_token
from annotation.members.tokens import issue_token
from annotation.models import Membership, Question, Rater, Rating, Study, Token
from api.requests.throttling import PerCaller
from tests.api.conftest import Program, problem
from tests.reports.computing import read

STUDY = "/api/studies/study/"
READ = ("/api/studies/", STUDY, f"{STUDY}agreement/", f"{STUDY}export/", f"{STUDY}export/items.jsonl", "/api/schema/")
WRITE = (f"{STUDY}items/", f"{STUDY}ratings/", f"{STUDY}scores/")


@pytest.fixture
def other(make_study, owner):
    """Another study of the same owner."""
    made = make_study("other")
    Membership.objects.create(study=made, person=owner, role="owner")
    return made


def status_of(response):
    """The status; a streamed response is read to its end, which closes its file."""
    if response.streaming:
        b"".join(response)
    return response.status_code


def test_a_token_lists_and_reads_its_one_study_only(reading, study, other):
    about = {"slug": "study", "title": "A study", "protocol": "rating", "status": "live", "locked": False,
             "archived": False, "project": None, "items": 2}  # fmt: skip
    assert reading.get("/api/studies/").json() == {"studies": [about], "next": None}
    for path in (READ[1], *READ[2:5]):
        assert status_of(read(reading, path)) == 200
        missing = reading.get(path.replace("/study/", "/nothing/"))
        elsewhere = reading.get(path.replace("/study/", "/other/"))
        told = [{**problem(one, 404), "request_id": ""} for one in (missing, elsewhere)]
        assert told[0] == told[1]


def test_a_write_token_is_refused_in_another_study(writing, other):
    for path in WRITE:
        problem(writing.send(path.replace("/study/", "/other/"), [{"id": "x"}]), 404)


def test_a_study_has_its_file_progress_and_export_names(reading, study):
    body = reading.get(STUDY).json()
    assert [question["key"] for question in body["study"]["questions"]] == ["follows", "how_well", "comment"]
    assert body["study"]["guidelines"] == "Read *everything*."
    assert body["progress"] == {"total": 12, "filled": 0, "held": 0, "imported": 0, "imported_answers": 0}
    assert body["prepared"] is True
    assert {"items.jsonl", "items.csv", "guidelines/1.md", "manifest.json", "README.md"} <= set(body["files"])


def test_responses_identify_nobody(reading, study, owner, rater):
    Person.objects.update(full_name="CANARY-NAME", email="canary@example.org")
    for path in ("/api/studies/", STUDY, f"{STUDY}agreement/"):
        body = read(reading, path).content.decode()
        for canary in ("CANARY-NAME", "canary@example.org", '"owner"', "reads"):
            assert canary not in body


@pytest.mark.parametrize("path", [*READ, *WRITE])
def test_unauthenticated_callers_are_refused(client, study, path):
    method = client.post if path in WRITE else client.get
    body = problem(method(path), 401)
    assert "Authorization: Bearer" in body["detail"]
    assert method(path)["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize(
    "header", ["Bearer", "Bearer ", "Bearer x", "Bearer \xff\xfe", "bearer a b", "Bearer " + "a" * 9000]
)
def test_an_invalid_token_opens_nothing(client, study, owner, header):
    client.force_login(owner)  # a session does not replace a wrong token
    assert (
        "mistyped, expired or revoked" in problem(client.get(STUDY, headers={"Authorization": header}), 401)["detail"]
    )


def test_a_password_does_not_authenticate(client, study):
    problem(client.get(STUDY, headers={"Authorization": "Basic b3duZXI6b3duZXI="}), 401)


@pytest.mark.parametrize("end", ["expired", "revoked", "removed", "demoted", "deactivated"])
def test_a_revoked_token_fails_from_the_next_request(study, owner, stranger, end):
    Membership.objects.create(study=study, person=stranger, role="researcher")
    program = Program(issue_token(study, stranger, name="one", scope="write"))
    assert program.get(STUDY).status_code == 200
    members = Membership.objects.filter(person=stranger)
    if end == "expired":
        Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif end == "revoked":
        revoke_token(Token.objects.get(), owner)
    elif end == "removed":
        members.update(active=False)
    elif end == "demoted":
        members.update(role="annotator")
    else:
        Person.objects.filter(pk=stranger.pk).update(is_active=False)
    problem(program.get(STUDY), 401)
    problem(program.send(WRITE[0], []), 401)


@pytest.mark.parametrize("path", WRITE)
def test_a_read_token_cannot_write(reading, path):
    assert "may only read" in problem(reading.send(path, [{"id": "x"}]), 403)["detail"]
    assert "may only read" in problem(reading.send(path.replace("study/", "other/"), [{"id": "x"}]), 403)["detail"]


def test_no_response_contains_a_token(reading, study):
    for path in READ:
        response = reading.get(path)
        body = b"".join(response) if response.streaming else response.content
        assert reading.secret.encode() not in body
        assert Token.objects.get().token_hash.encode() not in body


def test_a_session_may_read_but_not_export_or_write(client, study, owner):
    client.force_login(owner)
    for path in ("/api/studies/", STUDY, f"{STUDY}agreement/", "/api/schema/"):
        assert read(client, path).status_code == 200
    for path in (f"{STUDY}export/", f"{STUDY}export/items.jsonl"):
        assert "A token is needed" in problem(client.get(path), 403)["detail"]
    for path in WRITE:
        assert (
            "A token is needed" in problem(client.post(path, b"{}", content_type="application/x-ndjson"), 403)["detail"]
        )


def test_a_session_post_without_a_csrf_token_is_refused(study, owner):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)
    for path in WRITE:
        assert "CSRF" in problem(client.post(path, b"{}", content_type="application/x-ndjson"), 403)["detail"]


def test_annotators_and_strangers_see_nothing(study, rater, stranger):
    for person in (rater, stranger):
        client = Client()
        client.force_login(person)
        assert client.get("/api/studies/").json() == {"studies": [], "next": None}
        problem(client.get(STUDY), 404)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("delete", f"{STUDY}states/", 405),
        ("options", STUDY, 405),
        ("put", WRITE[0], 405),
        ("get", "/api/nothing/", 404),
        ("get", "/api/studies/a%00b/", 404),
        ("get", "/api/studies/..%2f..%2fetc/", 404),
        ("get", "/api/studies/?format=api", 400),
        ("get", f"{STUDY}?made_by__password__startswith=a", 400),
        ("get", f"{STUDY}agreement/?kinds=robots", 400),
        ("get", f"{STUDY}agreement/?kinds=human&kinds=model", 400),
        ("get", f"{STUDY}agreement/?guidelines=latest", 400),
        ("get", f"{STUDY}agreement/?by=system", 400),
        ("get", f"{STUDY}agreement/?guidelines=%00", 400),
        ("get", f"{STUDY}agreement/?guidelines=99999999999999999999", 400),
        ("get", f"{STUDY}agreement/?guidelines=7", 400),
        ("get", f"{STUDY}export/?format=parquet", 400),
    ],
)
def test_every_error_is_a_problem_document(writing, method, path, status):
    if method == "get":
        read(writing, path)
    assert problem(getattr(writing, method)(path), status)["type"] == "about:blank"


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "*/*", "nonsense"])
def test_formats_do_not_depend_on_the_accept_header(writing, accept):
    assert writing.get(STUDY, headers={"Accept": accept})["Content-Type"] == "application/json"
    problem(writing.get("/api/nothing/", headers={"Accept": accept}), 404)
    problem(writing.put(STUDY, headers={"Accept": accept}), 405)


def test_a_broken_view_answers_with_a_problem_and_no_details(writing, monkeypatch):
    def broken(study):
        raise RuntimeError("CANARY of the inside")

    monkeypatch.setattr("api.studies.study_resource.study_body", broken)
    writing.raise_request_exception = False
    body = problem(writing.get(STUDY), 500)
    assert "CANARY" not in str(body)


def test_too_many_requests_get_retry_after(reading, writing, monkeypatch):
    monkeypatch.setattr(PerCaller, "THROTTLE_RATES", {"api": "2/min"})
    cache.clear()
    assert [reading.get("/api/studies/").status_code for _ in range(2)] == [200, 200]
    response = reading.get("/api/studies/")
    problem(response, 429)
    assert 1 <= int(response["Retry-After"]) <= 61
    assert writing.get("/api/studies/").status_code == 200  # counted by itself


def test_the_agreement_report_equals_the_commands(reading, study, capsys):
    question = Question.objects.get(study=study, key="how_well")
    for name, kind in (("ann", "human"), ("bob", "human"), ("judge", "model")):
        rater = Rater.objects.create(study=study, name=name, kind=kind)
        for item in study.items.all():
            for output in item.outputs.all():
                value = 1 + output.position + (name == "bob")
                Rating.objects.create(
                    study=study, question=question, rater=rater, item=item, output=output, level="interval",
                    value=value, number=value, guidelines_version=None if kind == "model" else 1,
                )  # fmt: skip
    for query, arguments in (
        ("", []),
        ("?kinds=human,model&guidelines=all", ["--kinds", "human,model", "--guidelines", "all"]),
        ("?by=category", ["--by-category"]),
    ):
        call_command("agreement", "study", "--json", *arguments)
        printed = json.loads(capsys.readouterr().out)
        assert reading.get(f"{STUDY}agreement/{query}").json() == printed  # the command has kept it


def test_a_list_takes_as_many_queries_for_many_studies_as_for_one(
    client, study, owner, make_study, django_assert_max_num_queries
):
    for number in range(4):
        Membership.objects.create(study=make_study(f"more-{number}"), person=owner, role="owner")
    client.force_login(owner)
    with django_assert_max_num_queries(4):
        assert len(client.get("/api/studies/").json()["studies"]) == 5


def test_a_closed_study_is_still_read(reading, study):
    Study.objects.update(status="closed")
    assert reading.get(STUDY).json()["status"] == "closed"
