"""Uploads through the API: all or nothing, with the importer's errors, within limits."""

import io
import json
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import override_settings

from accounts.models import AuditEntry
from annotation.models import Item, Output, Rater, Rating, Slot, Study
from tests.api.conftest import NDJSON, problem

STUDY = "/api/studies/study/"
ITEMS, RATINGS, SCORES = (f"{STUDY}{table}/" for table in ("items", "ratings", "scores"))


def item(number, **more):
    outputs = [{"id": "system-north", "text": "North."}, {"id": "system-south", "text": "South."}]
    return {"id": f"new-{number}", "document": "A text.", "instruction": "Do.", "outputs": outputs, **more}


def rating(rater="ann", value=True, **more):
    return {"item": "item-0", "output": "system-north", "rater": rater, "question": "follows", "value": value, **more}


@pytest.fixture
def left_behind(tmp_path, monkeypatch):
    """A folder for temporary files that must be empty at the end."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield
    assert list(tmp_path.iterdir()) == []


def test_items_are_added_once_and_given_out_in_a_live_study(writing, study, left_behind):
    body = writing.send(ITEMS, [item(0), item(1)]).json()
    assert body["added"] == {"items": 2, "outputs": 4, "raters": 0}
    assert body["prepared"] is True
    assert Slot.objects.filter(task__item__key="new-1").count() == 2 * study.redundancy
    again = writing.send(ITEMS, [item(0), item(1)]).json()
    assert again["added"] == {"items": 0, "outputs": 0, "raters": 0}
    assert Item.objects.filter(study=study).count() == 4


def test_items_of_a_draft_wait_until_it_goes_live(writing, study):
    Study.objects.update(status="draft")
    assert writing.send(ITEMS, [item(0)]).json()["prepared"] is False
    assert not Slot.objects.filter(task__item__key="new-0").exists()


def test_ratings_and_scores_are_those_that_the_command_would_import(writing, study, tmp_path, left_behind):
    lines = [rating("ann"), rating("bob", False, submitted_at="2026-03-01T12:00:00Z", seconds=4.5)]
    assert writing.send(RATINGS, lines).json()["added"] == {"ratings": 2, "raters": 2}
    machine = rating("judge", 7, question="how_well", rater_kind="model", explanation="Because.")
    assert writing.send(SCORES, [machine]).json()["added"] == {"scores": 1, "raters": 1}
    assert Rating.objects.filter(off_scale=True).get().value == 7
    assert Rater.objects.get(name="judge").kind == "model"
    assert Slot.objects.filter(study=study, state="filled").count() == 0


def test_an_upload_is_audited_with_its_token_and_digest(writing, owner):
    digest = writing.send(ITEMS, [item(0)]).json()["sha256"]
    entry = AuditEntry.objects.get(action="study imported")
    assert (entry.actor.person, entry.study, entry.new["sha256"]) == (owner, "study", {"items": digest})
    assert entry.new["via"].startswith("token ")
    assert writing.secret not in str(entry.new)


@pytest.mark.thorough
def test_one_bad_line_refuses_the_upload_with_line_field_and_reason(writing, study, left_behind):
    lines = [*(item(number) for number in range(2500)), item(2500, outputs=[])]
    body = problem(writing.send(ITEMS, lines), 400)
    assert body["problems"] == [
        {"file": "items.jsonl", "line": 2501, "field": "outputs", "reason": "must be a list of at least one output"}
    ]
    assert (body["title"], body["more"]) == ("Import refused", False)
    assert Item.objects.filter(study=study).count() == 2
    assert not AuditEntry.objects.filter(action="study imported").exists()
    assert writing.send(ITEMS, lines[:-1]).json()["added"]["items"] == 2500


def test_a_refusal_links_to_its_explanation(client, writing, owner):
    kind = problem(writing.send(ITEMS, [{}]), 400)["type"]
    path, _, anchor = kind.partition("#")
    client.force_login(owner)
    assert f'id="{anchor}"' in client.get(path).content.decode()


def test_only_the_first_hundred_problems_are_listed(writing):
    body = problem(writing.send(ITEMS, [{}] * 300), 400)
    assert (len(body["problems"]), body["more"]) == (100, True)


def test_same_id_twice_or_with_other_content_is_refused(writing, study):
    twice = problem(writing.send(ITEMS, [item(0), item(0)]), 400)["problems"][0]
    assert (twice["line"], twice["field"]) == (2, "id")
    assert "line 1" in twice["reason"]
    other = problem(writing.send(ITEMS, [{**item(0), "id": "item-0"}]), 400)["problems"][0]
    assert "exists with different content" in other["reason"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"id": "a\\u0000"}', "NUL"),
        (b'{"id": "a", "document": "\\ud83d"}', "surrogate"),
        (b'{"\\ud83d": 1}', "surrogate"),
        (b'{"id": NaN}', "NaN is not a JSON number"),
        (b'{"id": 1e400}', "too large"),
        (b'{"id": ' + b"9" * 10_000 + b"}", "too many digits"),
        (b'{"id": ' + b"[" * 5000 + b"]" * 5000 + b"}", "nested deeper"),
        (b'{"id": "a", "id": "b"}', "appears twice"),
        (b'{"id": "\xff"}', "not UTF-8"),
        ('{"id": "a"}'.encode("utf-16"), "UTF-16"),
        (b"[1]", "is not a JSON object"),
        (b'{"id": "a"', "is not JSON"),
        (b'{"id": "a", "study": "other", "outputs": []}', "unknown key"),
        (json.dumps({"id": "a", "document": "x" * 1_000_001, "outputs": []}).encode(), "longer than 1000000 bytes"),
    ],
)  # fmt: skip
def test_text_that_cannot_be_stored_is_refused_by_line(writing, study, left_behind, body, words):
    for path in (ITEMS, RATINGS):
        (told,) = problem(writing.send(path, body), 400)["problems"]
        assert told["line"] == 1
        if path == ITEMS:
            assert words in told["reason"]
    assert Item.objects.filter(study=study).count() == 2


@pytest.mark.parametrize("value", ["5", 4.5, True, None, 6, {"a": 1}])
def test_a_rating_is_never_coerced(writing, study, value):
    told = problem(writing.send(RATINGS, [rating(value=value, question="how_well")]), 400)["problems"]
    assert told[0]["field"] == "value"
    assert not Rating.objects.exists()


def test_text_is_exported_as_it_was_uploaded(writing, reading):
    text = " \u202eabc\u200b\ufeff\u0301👩\u200d👩\u200d👧\U00020000\x85\r\n\uffff "
    writing.send(ITEMS, [item(0, document=text, outputs=[{"id": "system-north", "text": text}])])
    lines = b"".join(reading.get(f"{STUDY}export/items.jsonl")).decode().split("\n")
    found = next(body for line in lines if line and (body := json.loads(line))["id"] == "new-0")
    assert (found["document"], found["outputs"][0]["text"]) == (text, text)


def test_a_body_over_the_limit_is_refused_before_it_is_read(writing, study, left_behind):
    with override_settings(UPLOAD_BYTES=1000):
        response = writing.send(ITEMS, [item(number) for number in range(20)])
    assert "at most 1000 bytes" in problem(response, 413)["detail"]
    assert Item.objects.filter(study=study).count() == 2


def test_a_client_that_sends_too_much_still_gets_the_reason(writing, study, client):
    with override_settings(UPLOAD_BYTES=1000):
        stream = io.BytesIO(b"x" * 3000)
        problem(received(writing, stream, 3000), 413)
        assert stream.read() == b""
        endless = io.BytesIO(b"x" * 1_000_000)
        problem(received(writing, endless, 1_000_000), 413)
        assert len(endless.read()) > 900_000
        unknown = io.BytesIO(b"x" * 3000)
        problem(received(client, unknown, 3000), 401)
        assert len(unknown.read()) == 3000


def test_too_many_lines_are_refused_before_the_import(writing, study, left_behind):
    with override_settings(UPLOAD_ROWS=10):
        assert "at most 10 lines" in problem(writing.send(ITEMS, [item(number) for number in range(12)]), 413)["detail"]
        assert writing.send(ITEMS, [item(number) for number in range(10)]).status_code == 200


def received(program, stream, length):
    """The response to a body, passed on as a server does."""
    return program.post(ITEMS, content_type=NDJSON, **{"CONTENT_LENGTH": str(length), "wsgi.input": stream})


def test_the_largest_body_takes_little_memory(writing, study, left_behind):
    body = b'{"id": "x", "nothing": "' + b"y" * 900_000 + b'"}\n'
    body *= 20
    tracemalloc.start()
    try:
        problem(received(writing, io.BytesIO(body), len(body)), 400)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < len(body)


def test_a_body_that_ends_early_is_refused(writing, study, left_behind):
    sent = json.dumps(item(0)).encode() + b"\n"
    response = received(writing, io.BytesIO(sent), len(sent) + 100)
    assert "shorter than its Content-Length" in problem(response, 400)["detail"]
    assert Item.objects.filter(study=study).count() == 2


def test_a_body_without_its_length_is_refused(writing):
    response = writing.generic("POST", ITEMS, b"", content_type=NDJSON, HTTP_TRANSFER_ENCODING="chunked")
    problem(response, 411)


def test_an_empty_body_is_refused(writing):
    assert "is empty" in problem(writing.send(ITEMS, b""), 400)["detail"]


@pytest.mark.parametrize(
    "content_type", ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x"]
)
def test_a_body_of_another_type_is_refused(writing, study, content_type):
    assert "application/x-ndjson" in problem(writing.send(ITEMS, [item(0)], content_type), 415)["detail"]
    assert Item.objects.filter(study=study).count() == 2


@pytest.mark.parametrize("content_type", ["application/jsonl", "application/x-ndjson; charset=utf-8"])
def test_jsonl_has_two_media_types(writing, content_type):
    assert writing.send(ITEMS, [item(0)], content_type).status_code == 200


def test_uploads_and_files_import_the_same(writing, reading, study, tmp_path):
    """The same lines from a file and through the API give the same export."""
    lines = {"items": [item(0)], "ratings": [rating("ann")], "scores": [rating("m", 0.5, rater_kind="metric")]}
    for table, path in (("items", ITEMS), ("ratings", RATINGS), ("scores", SCORES)):
        assert writing.send(path, lines[table]).status_code == 200
    by_program = {name: _read(reading, name) for name in ("items.jsonl", "ratings.jsonl", "scores.jsonl")}
    call_command("export_study", "study", "--out", str(tmp_path / "study"), stdout=io.StringIO())
    for name, body in by_program.items():
        assert (tmp_path / "study" / name).read_bytes() == body
    assert Output.objects.filter(item__key="new-0").count() == 2


def _read(program, name):
    return b"".join(program.get(f"{STUDY}export/{name}"))


def test_ids_in_the_data_never_become_file_names(writing, reading, left_behind):
    writing.send(ITEMS, [{**item(0), "id": "../../etc/passwd"}])
    assert b"../../etc/passwd" in _read(reading, "items.jsonl")
    assert not Path("/etc/passwd.jsonl").exists()
