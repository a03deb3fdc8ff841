"""Large files through the API: sent in parts, checked and imported by workers."""

import json

import pytest
from django.core.cache import cache

from annotation.members.tokens import issue_token
from annotation.models import Adjudication, Item, Rating
from config.background.claiming import run_waiting
from tests.api.conftest import NDJSON, Program, problem

UPLOADS = "/api/studies/study/uploads/"
ITEMS = [
    {"id": f"new-{n}", "document": "d", "instruction": "i", "outputs": [{"id": "a", "text": "t"}]} for n in range(50)
]


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.VAR = tmp_path
    cache.clear()


@pytest.fixture
def writing(study, owner):
    return Program(issue_token(study, owner, name="writes", scope="write"))


def tell(program, path, body, **more):
    return program.post(path, json.dumps(body), content_type="application/json", **more)


def part(program, address, body, offset):
    return program.post(f"{address}parts/?offset={offset}", body, content_type="application/octet-stream")


def uploaded(program, table, lines):
    """The address of an upload whose file has been sent and checked."""
    body = "".join(json.dumps(line) + "\n" for line in lines).encode()
    made = tell(program, UPLOADS, {"table": table, "name": f"{table}.jsonl", "size": len(body)})
    assert made.status_code == 201, made.content
    half = len(body) // 2
    assert part(program, made["Location"], body[:half], 0).json()["state"] == "receiving"
    assert problem(part(program, made["Location"], body[half:], 0), 409)["received"] == half
    assert part(program, made["Location"], body[half:], half).json()["state"] == "checking"
    run_waiting()
    return made["Location"]


def imported(program, address):
    assert tell(program, f"{address}import/", {}).status_code == 202
    run_waiting()
    return program.get(address).json()


def test_a_file_is_sent_in_parts_checked_and_imported(writing, study):
    address = uploaded(writing, "items", ITEMS)
    checked = writing.get(address).json()
    assert (checked["state"], checked["findings"]["added"]["items"]) == ("checked", 50)
    assert Item.objects.count() == 2
    assert imported(writing, address)["state"] == "imported"
    assert Item.objects.count() == 52


def test_scores_and_final_answers_are_uploaded_too(writing, study):
    about = {"item": "item-0", "output": "system-north", "question": "follows", "value": True}
    scores = uploaded(writing, "scores", [{**about, "rater": "judge", "rater_kind": "model"}])
    assert imported(writing, scores)["findings"]["added"]["scores"] == 1
    assert Rating.objects.get().rater.name == "judge"
    final = {**about, "number": 1, "reason": "It does.", "reviewer": "reviewer-1", "at": "2026-03-01T12:00:00Z"}
    answers = uploaded(writing, "adjudications", [final])
    assert imported(writing, answers)["state"] == "imported"
    assert Adjudication.objects.get().reason == "It does."


def test_a_file_with_problems_is_not_imported_and_can_be_deleted(writing, study):
    address = uploaded(writing, "items", [*ITEMS, {"id": "bad"}])
    found = writing.get(address).json()
    assert (found["state"], found["findings"]["problems"][0]["line"]) == ("refused", 51)
    problem(tell(writing, f"{address}import/", {}), 409)
    assert writing.delete(address).status_code == 204
    assert writing.get(address).json()["state"] == "deleted"
    problem(part(writing, address, b"x", 0), 409)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"table": "odd", "name": "a.jsonl", "size": 1}, 400), ({"table": "items", "name": "a.jsonl"}, 400),
        ({"table": "items", "name": "a.exe", "size": 1}, 409), ({"table": "items", "name": "a.jsonl", "size": 0}, 400),
        ({"table": "items", "name": "a.jsonl", "size": 2**60}, 413),
    ],
)  # fmt: skip
def test_an_upload_that_does_not_fit_is_refused(writing, study, body, status):
    problem(tell(writing, UPLOADS, body), status)


def test_one_final_answer_is_given_replaced_and_withdrawn(writing, study):
    path = "/api/studies/study/adjudications/"
    body = {
        "item": "item-0",
        "output": "system-north",
        "question": "how_well",
        "value": 4,
        "number": 0,
        "reason": "So.",
    }
    given = tell(writing, path, body).json()
    assert (given["value"], given["number"], given["current"]) == (4, 1, True)
    assert "newer" in problem(tell(writing, path, body), 409)["detail"]
    assert "value" not in tell(writing, path, {**body, "number": 1, "value": None}).json()
    problem(tell(writing, path, {**body, "number": 2, "value": 9}), 400)
    problem(tell(writing, path, {**body, "number": 2, "output": "nobody"}), 404)
    listed = writing.get(f"{path}?current=true").json()["adjudications"]
    assert [one["number"] for one in listed] == [2]
    assert writing.get(f"{path}{given['entry']}/").json()["current"] is False
    lines = [{**body, "item": "item-1", "number": 1, "reviewer": "reviewer-1", "at": "2026-03-01T12:00:00Z"}]
    assert writing.send(path, lines, content_type=NDJSON).json()["added"]["adjudications"] == 1


def test_a_blinded_final_answer_calls_systems_by_their_codes(writing, study):
    study.options = {**study.options, "blind_researchers": True}
    study.save()
    code = writing.get("/api/studies/study/items/").json()["items"][0]["outputs"][0]["id"]
    assert code.startswith("System ")
    body = {"item": "item-0", "output": code, "question": "how_well", "value": 4, "number": 0, "reason": "So."}
    assert tell(writing, "/api/studies/study/adjudications/", body).json()["output"] == code
    assert Adjudication.objects.get().output.key.startswith("system-")
