"""The schema: valid OpenAPI 3.1, behind sign-in, and matched by every response to every kind of caller."""

import json
import re
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import URLResolver, get_resolver
from drf_spectacular.validation import validate_schema
from jsonschema import Draft202012Validator

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from annotation.members.tokens import issue_token
from annotation.models import Rater, Study
from api.response_shapes import StudySummarySerializer
from api.schema import described
from config.background.claiming import process_row
from reports.models import KeptExport
from tests.api.conftest import NDJSON, Program
from tests.fewer import chosen_cases
from tests.reports.computing import compute_requested
from tests.reports.kept_rows import add_kept_export

NAMES = ("study", "nothing", "a%00b", "..", "%ed%a0%bd", "x" * 300)
QUERIES = (
    "", "?kinds=human,model", "?kinds=%00", "?raters=ann&raters=%00", "?guidelines=-1", "?format=csv",
    "?format=%f0%9f", "?a=b&a=c", "?=",
)  # fmt: skip
BODIES = (
    b"", b"{}", b"null", b"[", b"\xff\xfe", b'{"id": "\\ud83d"}', b'{"id": "x\\u0000"}', b'{"id": 1e999}',
    b'{"id":' * 40 + b"1" + b"}" * 40, b"[" * 5000, b'{"item": "item-0", "rater": {}, "question": [], "value": NaN}',
    b'{"item": ["x"], "output": {}, "rater": "r", "question": "follows", "value": true}',
    b'{"item": "item-0", "output": {}, "rater": "r", "question": "follows", "value": true}',
    b'{"item": "item-0", "output": "system-north", "rater": "r", "question": "follows", "value": true}',
    b'{"id": "ok", "document": "d", "instruction": "i", "outputs": [{"id": "a", "text": "t"}]}',
)  # fmt: skip


@pytest.fixture(scope="module")
def schema():
    return described()


def operations(schema):
    return [
        (path, method, about) for path, methods in schema["paths"].items() for method, about in methods.items()
    ]  # fmt: skip


def test_the_schema_is_valid_and_names_every_route(schema):
    validate_schema(schema)
    assert schema["openapi"].startswith("3.1")
    mounted = [one for one in get_resolver().url_patterns if isinstance(one, URLResolver)]
    addresses = {f"{one.pattern}{pattern.pattern}" for one in mounted for pattern in one.url_patterns}
    routes = {address for address in addresses if address.startswith("api/")} - {"api/"}
    assert len(schema["paths"]) == len(routes)
    names = [about["operationId"] for _, _, about in operations(schema)]
    assert sorted(set(names)) == sorted(names)


def resolved(shape, schema):
    """A shape without references, each component once."""
    name = shape.get("$ref", "").rpartition("/")[2]
    return schema["components"]["schemas"][name] if name else shape


def changes_of(old, new, schemas, place, seen=frozenset()):
    """Yield what a response of the earlier shape has and the later one lacks, or has with another type."""
    one, other = (resolved(shape, schema) for shape, schema in zip((old, new), schemas, strict=True))
    key = (old.get("$ref"), new.get("$ref"))
    if key in seen and key != (None, None):
        return
    kinds = [kind if isinstance(kind, list) else [kind] for kind in (one.get("type"), other.get("type"))]
    if not set(kinds[0]) <= set(kinds[1]) | ({None, "object"} if "properties" in other else {None}):
        yield f"{place}: {kinds[0]} became {kinds[1]}"
    for name, inner in one.get("properties", {}).items():
        if name not in other.get("properties", {}):
            yield f"{place}.{name} is missing"
        else:
            yield from changes_of(inner, other["properties"][name], schemas, f"{place}.{name}", seen | {key})
    if "items" in one and "items" in other:
        yield from changes_of(one["items"], other["items"], schemas, f"{place}[]", seen | {key})


def test_no_operation_of_the_first_release_changed_its_meaning(schema):
    released = json.loads((Path(__file__).parents[1] / "client_library" / "openapi-0.1.json").read_text())
    now, found = {re.sub(r"\{.*?\}", "{}", path): methods for path, methods in schema["paths"].items()}, []
    for path, method, old in operations(released):
        new = now.get(re.sub(r"\{.*?\}", "{}", path), {}).get(method)
        if new is None or new["operationId"] != old["operationId"]:
            found.append(f"{method} {path} is {new and new['operationId']}, not {old['operationId']}")
            continue
        known = {one["name"] for one in new.get("parameters", ())}
        found += [f"{path}?{one['name']}" for one in old.get("parameters", ()) if one["name"] not in known]
        for status, told in old["responses"].items():
            later = new["responses"].get(status, {}).get("content", {})
            for media_type, content in told.get("content", {}).items():
                if media_type not in later:
                    found.append(f"{method} {path} {status} {media_type}")
                else:
                    shapes = (content.get("schema", {}), later[media_type].get("schema", {}))
                    found += changes_of(*shapes, (released, schema), f"{method} {path} {status}")
    assert len(operations(released)) > 10
    assert found == []


def test_the_schema_is_made_without_a_warning(capfd):
    described()
    assert capfd.readouterr().err == ""


def test_schema_and_documentation_need_a_sign_in(client, study, rater, reading):
    assert client.get("/api/schema/").status_code == 401
    assert client.get("/api/")["Location"].startswith("/sign-in/")
    assert client.get("/api/", headers={"Accept": "application/json"}).status_code == 401
    assert reading.get("/api/schema/").json()["info"]["title"] == "Interrater"
    client.force_login(rater)
    assert client.get("/api/schema/").status_code == 200


def test_the_documentation_names_every_operation_with_its_answers(client, study, owner, schema):
    client.force_login(owner)
    page = client.get("/api/").content.decode()
    for path, method, about in operations(schema):
        assert f"<strong>{method.upper()}</strong> {path}<" in page
        assert f'id="{about["operationId"]}"' in page
    assert "50000 lines" in page


def test_the_schema_requires_tokens_for_writing_and_exporting(schema):
    for path, method, about in operations(schema):
        by_token_only = about["security"] == [{"token": []}]
        writes = method != "get" and not path.endswith("/exports/")  # which a signed-in person may start
        assert by_token_only == (writes or "/export/" in path or "/work/" in path), path


def test_each_operation_has_an_example_of_what_it_takes_and_gives(schema):
    without = []
    for path, method, about in operations(schema):
        taken = about.get("requestBody", {}).get("content", {})
        given = {
            media_type: content
            for status, response in about["responses"].items() if status in ("200", "201")
            for media_type, content in response.get("content", {}).items()
        }  # fmt: skip
        for media_type, content in (taken | given).items():
            if media_type in ("application/json", "application/yaml", NDJSON) and "examples" not in content:
                without.append(f"{method} {path}: {media_type}")
    assert without == []


def test_the_examples_have_their_shapes(schema):
    for path, method, about in operations(schema):
        for status, response in about["responses"].items():
            for media_type, content in response.get("content", {}).items():
                shape = {**content["schema"], "components": schema["components"]}
                for one in content.get("examples", {}).values():
                    if media_type == "application/json":
                        problems = [str(told.message) for told in Draft202012Validator(shape).iter_errors(one["value"])]
                        assert problems == [], f"{method} {path} {status}"


def filled(path, name, numbers):
    """An address of a path of the schema, in the study of this name."""
    for placeholder, value in numbers.items():
        path = path.replace(f"{{{placeholder}}}", value)
    return path.replace("{slug}", name)


def answers(client, path, method, numbers, bodies):
    """The responses of an operation to all kinds of wrong requests, and to right ones."""
    for name in NAMES:
        address = filled(path, name, numbers)
        if method == "get":
            for query in QUERIES if name == "study" else QUERIES[:1]:
                yield client.get(address + query)
            continue
        for body in bodies if name == "study" else BODIES[:1]:
            yield client.generic(method.upper(), address, body, content_type=NDJSON)
    address = filled(path, "study", numbers)
    if method in ("post", "patch"):
        for body in (b"", b"{}", b"[", b'{"odd": 1}', b'{"verb": 1}'):
            yield client.generic(method.upper(), address, body, content_type="application/json")
        yield client.generic(method.upper(), address, b"x=1", content_type="text/plain")
        yield client.generic(method.upper(), f"{address}?a=b", b"{}", content_type=NDJSON)
        yield client.generic(method.upper(), address, b"", headers={"Transfer-Encoding": "chunked"})


@pytest.fixture
def numbers(study, rater):
    """What stands for the placeholders of paths besides the study's name: rows that exist, as far as there are any."""
    assignment = next_assignment(study, rater_for(study, rater))
    form = {"q-follows": ["true"], "q-how_well": ["5"]}
    submit(assignment, Submission(form=form, revision=0, guidelines_version=1))
    kept = add_kept_export(study)
    return {
        "id": str(kept.pk),
        "key": str(assignment.key),
        "number": str(study.items.first().pk),
        "name": "manifest.json",
    }


OPERATIONS = [f"{method} {path}" for path, method, _ in operations(described())]
WRITING = [one for one in OPERATIONS if not one.startswith("get ")]
"""What changes something. In `make test` the answers to the rest are compared by `test_api_generated.py` alone."""


@pytest.mark.parametrize("operation", chosen_cases(OPERATIONS, WRITING))
def test_every_response_matches_the_schema(schema, study, owner, rater, reading, writing, numbers, operation):
    method, _, path = operation.partition(" ")
    told, seen = schema["paths"][path][method]["responses"], set()
    if "/raters/" in path:
        numbers["number"] = str(Rater.objects.filter(study=study)[0].pk)
    if path.endswith("/sessions/"):  # only for studies with sessions
        Study.objects.filter(pk=study.pk).update(protocol="session")
    session = Client()
    session.force_login(owner)
    annotating = Program(issue_token(study, rater, name="annotates", scope="annotate"))
    for client in (Client(), session, reading, writing, annotating):
        client.raise_request_exception = False
        for response in answers(client, path, method, numbers, BODIES if client is writing else BODIES[:2]):
            cache.clear()
            status = check(response, told, schema)
            seen.add(status)
            if status < 400:  # which may have asked for work
                compute_requested()
                for pk in KeptExport.objects.filter(status="queued").values_list("pk", flat=True):
                    process_row("export", pk)
    there = re.sub(r"/(assignments|annotations|ratings|revision-sessions|runs|adjudications|uploads)/\{.*", "", path)
    assert ({200, 401} if method == "get" and there == path else {401}) <= seen


def check(response, told, schema):
    """The status, after checking it, the media type and the body against the schema."""
    status, media_type = str(response.status_code), response["Content-Type"].partition(";")[0]
    body = b"".join(response) if response.streaming else response.content
    assert status in told, body
    if response.status_code in (204, 304):
        assert body == b""
        return response.status_code
    content = told[status]["content"]
    if "application/octet-stream" not in content:
        assert media_type in content
    if media_type.endswith("json") and media_type in content:
        shape = {**content[media_type]["schema"], "components": schema["components"]}
        Draft202012Validator(shape).validate(json.loads(body))
    return response.status_code


def test_a_response_of_another_shape_is_detected(schema):
    shape = {"$ref": "#/components/schemas/StudySummary", "components": schema["components"]}
    known = {"slug", "title", "protocol", "status", "locked", "archived", "project", "items", "dry_run"}
    assert set(StudySummarySerializer().fields) == known
    right = {"slug": "a", "title": "", "protocol": "p", "status": "live", "locked": False, "archived": False,
             "project": None, "items": 0}  # fmt: skip
    assert Draft202012Validator(shape).is_valid(right)
    assert not Draft202012Validator(shape).is_valid({**right, "items": "many"})
    assert not Draft202012Validator(shape).is_valid({"slug": "a"})
