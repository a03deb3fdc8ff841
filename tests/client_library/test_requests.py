"""The client tries again, keeps its keys, follows pages, waits for workers, and says clearly what went wrong."""

import asyncio
import hashlib
import json
from pathlib import Path

import httpx
import interrater_client
import pytest
from interrater_client import AsyncClient, Retries
from interrater_client.requests import asked_wait, fits
from interrater_client.steps import Reply
from interrater_client.uploads import parts_of

from tests.client_library.scripted_server import QUICK, Script, client_of, problem

pytestmark = pytest.mark.quick
RELEASED = json.loads((Path(__file__).parent / "openapi-0.1.json").read_text(encoding="utf-8"))
LIVE = {"slug": "s", "status": "live", "detail": "The study is live."}


def ok(body, status=200, headers=None):
    return httpx.Response(status, json=body, headers=headers)


def test_busy_servers_and_lost_connections_are_tried_again_with_one_key():
    client, script = client_of(problem(503), httpx.ConnectError("refused"), problem(429), ok(LIVE))
    assert client.study("s").pause()["status"] == "live"
    keys = {request.headers["idempotency-key"] for request in script.asked}
    assert (len(script.asked), len(keys)) == (4, 1)
    assert {request.content for request in script.asked} == {b'{"verb":"pause"}'}


def test_two_operations_have_two_keys():
    client, script = client_of(ok(LIVE), ok(LIVE))
    client.study("s").pause()
    client.study("s").pause()
    assert len({request.headers["idempotency-key"] for request in script.asked}) == 2


def test_reading_needs_no_key():
    client, script = client_of(ok({}))
    client.study("s").read()
    assert "idempotency-key" not in script.asked[0].headers
    assert script.asked[0].headers["authorization"] == "Bearer t"


def test_a_first_request_that_is_still_under_way_is_waited_for_but_other_conflicts_are_not():
    client, script = client_of(problem(409, headers={"Retry-After": "0"}), ok(LIVE))
    assert client.study("s").pause()["status"] == "live"
    client, script = client_of(problem(409, "It is live already."))
    with pytest.raises(interrater_client.ConflictError, match="It is live already"):
        client.study("s").pause()
    assert len(script.asked) == 1


def test_tries_end():
    client, script = client_of(*[problem(503, "Busy.")] * 4)
    with pytest.raises(interrater_client.UnavailableError, match="Busy"):
        client.study("s").read()
    assert len(script.asked) == 4
    client, script = client_of(*[httpx.ReadTimeout("slow")] * 4)
    with pytest.raises(interrater_client.ConnectionLostError, match="4 tries"):
        client.study("s").read()


def test_waits_grow_and_honour_the_server():
    retries = Retries(first_wait=1.0, longest_wait=60.0)
    for number, most in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0)):
        assert most * 2 / 3 <= retries.wait(number, Reply(503)) <= most
    assert retries.wait(1, Reply(429, {"retry-after": "17"})) == 17.0
    assert retries.wait(1, Reply(429, {"retry-after": "999"})) == 60.0
    assert retries.wait(20, Reply(503)) == 60.0


def test_retry_after_may_be_a_date():
    assert asked_wait(Reply(503, {"retry-after": "Wed, 01 Jan 2020 00:00:00 GMT"})) == 0.0
    assert asked_wait(Reply(503, {"retry-after": "Fri, 01 Jan 2100 00:00:00 GMT"})) > 1e9
    assert asked_wait(Reply(503, {"retry-after": "soon"})) is None
    assert asked_wait(Reply(503)) is None


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, "RequestInvalidError"), (401, "NotAuthenticatedError"), (403, "NotAllowedError"), (409, "ConflictError"),
     (422, "AnswersRefusedError"), (413, "ProblemError")],
)  # fmt: skip
def test_problems_are_exceptions(status, error):
    client, _ = client_of(problem(status, "Say this.", errors={"follows": "Choose."}))
    with pytest.raises(getattr(interrater_client, error)) as caught:
        client.study("s").read()
    assert (caught.value.status, caught.value.detail, caught.value.request_id) == (status, "Say this.", "r1")
    assert caught.value.more == {"errors": {"follows": "Choose."}}
    if status == 422:
        assert caught.value.errors == {"follows": "Choose."}


def test_a_refused_import_names_its_lines():
    found = [{"file": "items.jsonl", "line": 3, "field": "id", "reason": "is missing"}]
    client, _ = client_of(problem(400, "The import was refused.", problems=found, more=False))
    with pytest.raises(
        interrater_client.ImportRefusedError, match=r"file items\.jsonl line 3 field id: is missing"
    ) as one:
        client.study("s").add_items([{}])
    assert one.value.problems == found


def test_what_is_no_problem_document_is_an_error_all_the_same():
    client, _ = client_of(httpx.Response(500, text="<h1>Oh</h1>"))
    with pytest.raises(interrater_client.ProblemError, match="500"):
        client.study("s").read()


def test_pages_are_followed_one_at_a_time():
    following = "http://site.test/api/studies/s/ratings/?kind=human&cursor=2"
    client, script = client_of(
        ok({"ratings": [{"number": 1}], "next": following}), ok({"ratings": [], "next": "/api/x/?cursor=3"}),
        ok({"ratings": [{"number": 2}], "next": None}),
    )  # fmt: skip
    entries = client.study("s").ratings(kind="human", current=True)
    assert next(entries) == {"number": 1}
    assert len(script.asked) == 1
    assert [entry["number"] for entry in entries] == [2]
    assert [str(request.url) for request in script.asked] == [
        "http://site.test/api/studies/s/ratings/?kind=human&current=true", following, "http://site.test/api/x/?cursor=3",
    ]  # fmt: skip


def test_the_awaited_client_does_the_same():
    script = Script([problem(503), ok({"studies": [{"slug": "a"}], "next": "/api/studies/?cursor=1"}),
                     ok({"studies": [{"slug": "b"}], "next": None}), ok(LIVE)])  # fmt: skip

    async def work():
        async with AsyncClient(
            "http://site.test", token="t", retries=QUICK, transport=httpx.MockTransport(script)
        ) as client:
            slugs = [study["slug"] async for study in client.studies()]
            return slugs, await client.study("s").close()

    assert asyncio.run(work()) == (["a", "b"], LIVE)


def test_reports_are_waited_for():
    waiting = ok({"study": "s", "detail": "Later.", "read_at": None}, 202, {"Retry-After": "0"})
    client, script = client_of(waiting, waiting, ok({"schema": 1}))
    assert client.study("s").agreement(kinds="human,model", raters=["ann", "bob"]) == {"schema": 1}
    assert str(script.asked[2].url.query, "ascii") == "kinds=human%2Cmodel&raters=ann&raters=bob"
    client, _ = client_of(ok({}, 202, {"Retry-After": "30"}))
    with pytest.raises(interrater_client.WaitedTooLongError):
        client.study("s").agreement(timeout=5)


def test_going_live_waits_for_tasks():
    client, script = client_of(
        ok({"slug": "s", "status": "draft", "detail": "Later."}, 202, {"Retry-After": "0"}),
        ok({"slug": "s", "status": "draft"}), ok({"slug": "s", "status": "live"}),
    )  # fmt: skip
    assert client.study("s").go_live()["status"] == "live"
    assert [request.method for request in script.asked] == ["POST", "GET", "GET"]


def test_progress_is_given_when_it_changes_and_ends_with_the_last_answer():
    def state(filled):
        return ok({"status": "live", "progress": {"total": 4, "filled": filled, "held": 0}})

    client, script = client_of(state(0), state(0), state(3), state(4))
    assert [one["filled"] for one in client.study("s").watch(every=0)] == [0, 3, 4]
    assert len(script.asked) == 4


DATA = b"PK" + bytes(range(256)) * 1000


def kept(**more):
    return ok({"id": 7, "file": "/api/studies/s/exports/7/file", "bytes": len(DATA),
               "sha256": hashlib.sha256(DATA).hexdigest(), "status": "done", **more})  # fmt: skip


def test_an_export_is_started_waited_for_downloaded_and_checked(tmp_path):
    waiting = ok({"id": 7, "status": "queued"}, 202, {"Retry-After": "0"})
    client, script = client_of(waiting, waiting, kept(), httpx.Response(200, content=DATA))
    path = client.study("s").export(tmp_path / "s.zip", format="csv")
    assert path.read_bytes() == DATA
    assert [(one.method, one.url.path) for one in script.asked] == [
        ("POST", "/api/studies/s/exports/"), ("GET", "/api/studies/s/exports/7/"), ("GET", "/api/studies/s/exports/7/"),
        ("GET", "/api/studies/s/exports/7/file"),
    ]  # fmt: skip


@pytest.mark.parametrize("received", [DATA[:-1], DATA[:-1] + b"x"])
def test_a_damaged_download_leaves_no_file(tmp_path, received):
    client, _ = client_of(kept(), kept(), httpx.Response(200, content=received))
    with pytest.raises(interrater_client.DamagedFileError):
        client.study("s").export(tmp_path / "s.zip")
    assert list(tmp_path.iterdir()) == []


def test_an_export_without_a_file_says_why(tmp_path):
    client, _ = client_of(kept(), kept(file=None, reason="An erasure came in between."))
    with pytest.raises(interrater_client.WorkFailedError, match="erasure"):
        client.study("s").export(tmp_path / "s.zip")


def test_uploads_are_cut_into_parts_of_whole_lines(tmp_path):
    rows = [{"id": f"item-{number}", "document": "x" * 20} for number in range(10)]
    with parts_of(rows, most_bytes=10_000, most_lines=4) as parts:
        found = [part.read_bytes() for part in parts]
    assert [part.count(b"\n") for part in found] == [4, 4, 2]
    assert [json.loads(line) for part in found for line in part.splitlines()] == rows
    file = tmp_path / "items.jsonl"
    file.write_bytes(b"".join(found).rstrip() + b"\n\n")
    with parts_of(file, most_bytes=100) as parts:
        again = [part.read_bytes() for part in parts]
    assert b"".join(again) == b"".join(found)
    assert max(map(len, again)) <= 100


def test_a_part_of_an_upload_has_a_length_and_is_sent_again_whole():
    added = ok({"study": "s", "added": {"items": 2}, "prepared": True})
    client, script = client_of(problem(503), added)
    assert client.study("s").add_items([{"id": "a"}, {"id": "b"}])["added"] == {"items": 2}
    first, second = script.asked
    assert first.content == second.content == b'{"id":"a"}\n{"id":"b"}\n'
    assert first.headers["content-length"] == str(len(first.content))
    assert "transfer-encoding" not in first.headers
    assert first.headers["content-type"] == "application/x-ndjson"


def test_a_float_that_is_no_json_is_not_sent():
    client, script = client_of()
    with pytest.raises(ValueError, match="JSON"):
        client.study("s").add_scores([{"value": float("nan")}])
    assert script.asked == []


OPERATIONS_OF_THE_RELEASE = {
    "studies": lambda client, folder: list(client.studies()),
    "read": lambda client, folder: client.study("s").read(),
    "add_items": lambda client, folder: client.study("s").add_items([{"id": "a"}]),
    "add_ratings": lambda client, folder: client.study("s").add_ratings([{"id": "a"}]),
    "add_scores": lambda client, folder: client.study("s").add_scores([{"id": "a"}]),
    "agreement": lambda client, folder: client.study("s").agreement(by="category", within=60, guidelines="all"),
    "meta_evaluation": lambda client, folder: client.study("s").meta_evaluation(panel="majority"),
    "session_report": lambda client, folder: client.study("s").session_report(within=60),
    "archive": lambda client, folder: client.study("s").archive(folder / "a.zip", format="csv"),
    "file": lambda client, folder: client.study("s").file("guidelines/1.md", folder / "1.md"),
}


def released(request):
    """What the released server does with a request, by its recorded schema."""
    path = request.url.path
    if path == "/api/schema/":
        return ok(RELEASED)
    for template, methods in RELEASED["paths"].items():
        if fits(template, path):
            if request.method.lower() not in methods:
                return problem(405)
            known = {one["name"] for one in methods[request.method.lower()].get("parameters", ())}
            if unknown := set(request.url.params) - known:
                return problem(400, f"Unknown parameters: {unknown}")
            return ok({"studies": [], "study": "s", "added": {}, "prepared": True})
    return problem(404)


@pytest.mark.parametrize("name", OPERATIONS_OF_THE_RELEASE)
def test_operations_that_the_released_server_has(name, tmp_path):
    client, script = client_of(*[released] * 2)
    OPERATIONS_OF_THE_RELEASE[name](client, tmp_path)
    assert len(script.asked) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda study: study.change(title="x"), lambda study: study.go_live(), lambda study: list(study.items()),
        lambda study: list(study.ratings()), lambda study: list(study.runs()), lambda study: list(study.sessions()),
        lambda study: study.session(3), lambda study: study.start_export(), lambda study: study.item(3),
        lambda study: study.client.make_study({"slug": "s"}), lambda study: study.client.desk("s").next_task(),
        lambda study: study.delete(),
    ],
)  # fmt: skip
def test_a_server_of_the_release_without_an_address_is_said_to_be_older(call):
    client, _ = client_of(*[released] * 2)
    with pytest.raises(interrater_client.NotSupportedError, match="older than this library"):
        call(client.study("s"))


def test_a_study_that_does_not_exist_is_not_found():
    client, _ = client_of(problem(404, "Not found."), ok(RELEASED))
    with pytest.raises(interrater_client.NotFoundError, match="Not found"):
        client.study("nothing").read()


def test_the_schema_is_asked_for_once():
    client, script = client_of(problem(404), ok(RELEASED), problem(404))
    for _ in range(2):
        with pytest.raises(interrater_client.NotFoundError):
            client.study("nothing").read()
    assert len(script.asked) == 3
