"""Generated requests find no crash and no response that the schema does not describe, for each kind of caller."""

import gc
import json
import os

import pytest
import schemathesis
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.test import Client, override_settings
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.transport.wsgi import WSGI_TRANSPORT

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from annotation.members.tokens import issue_account_token, issue_token
from api.schema import described
from tests.conftest import live_study, make_person
from tests.fewer import chosen_cases
from tests.reports.kept_rows import add_kept_export

EXAMPLES = int(os.environ.get("EXAMPLES", "1"))
"""Requests per operation and caller; a longer run by hand sets EXAMPLES in the environment."""
LONG = int(os.environ.get("LONG_EXAMPLES", "40"))
"""The same in the long run, which has all callers."""
CALLERS = ("anonymous", "owner session", "token read", "token write", "token annotate")
OTHERS = ("researcher session", "rater session", "stranger session", "staff session", "token wrong")


def build_rows():
    """A live study with answers, and what each caller sends to be known."""
    owner, rater = make_person("owner", is_staff=True), make_person("rater")
    study = live_study(owner, rater)
    first = next_assignment(study, rater_for(study, rater))
    form = {"q-follows": ["true"], "q-how_well": ["5"]}
    answer = submit(first, Submission(form=form, revision=0, guidelines_version=1))
    places = {"slug": "study", "key": str(first.key), "number": answer.pk, "name": "items.jsonl",
              "id": add_kept_export(study).pk}  # fmt: skip
    people = {
        "owner": owner,
        "rater": rater,
        "stranger": make_person("stranger"),
        "staff": make_person("staff", is_staff=True, is_superuser=True),
        "researcher": make_person("researcher"),
    }
    add_member(study, people["researcher"], "researcher", None)
    tokens = {
        "token read": issue_token(study, owner, name="r", scope="read"),
        "token write": issue_account_token(owner, name="w", scope="write", makes_studies=True),
        "token annotate": issue_token(study, rater, name="a", scope="annotate"),
    }
    headers = {name: {"Authorization": f"Bearer {secret}"} for name, secret in tokens.items()}
    for name, person in people.items():
        session = Client()
        session.force_login(person)
        headers[f"{name} session"] = {"Cookie": f"sessionid={session.cookies['sessionid'].value}"}
    return {**headers, "anonymous": {}, "token wrong": {"Authorization": "Bearer wrong"}}, places


@schemathesis.serializer("application/x-ndjson", "application/jsonl")
def as_lines(context, value):
    """A generated body as it is sent."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


KEYS = (
    "id", "document", "instruction", "outputs", "category", "set", "pool", "gold", "references", "metadata", "priority",
    "withdrawn", "item", "output", "rater", "rater_kind", "question", "value", "distribution", "seconds",
    "submitted_at", "guidelines_version", "reason", "number", "variant", "revision", "kind", "at", "run", "shown",
)  # fmt: skip
WORDS = st.sampled_from([
    "item-0", "system-north", "follows", "how_well", "comment", "ann", "model", "human", "main", "gold", "first",
    "2026-01-01T00:00:00Z", "0001-01-01T00:00:00+23:59", "\ud800", "a\x00", "", "x" * 300, "__proto__",
])  # fmt: skip
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | st.text(max_size=5)
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
RATING = st.fixed_dictionaries(
    {"item": st.just("item-0"), "output": st.just("system-north"), "rater": WORDS, "question": WORDS, "value": VALUES},
    optional=dict.fromkeys(KEYS[18:], VALUES),
)
ITEM = st.fixed_dictionaries(
    {"id": WORDS, "document": WORDS, "instruction": WORDS, "outputs": st.lists(st.fixed_dictionaries(
        {"id": WORDS, "text": VALUES}, optional={"writer": VALUES, "edited_from": VALUES, "metadata": VALUES}
    ), max_size=3)},
    optional=dict.fromkeys(KEYS[4:12], VALUES),
)  # fmt: skip
LINE = RATING | ITEM | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=5), VALUES, max_size=6) | VALUES
LINES = st.lists(LINE, min_size=1, max_size=4).map(
    lambda lines: "".join(json.dumps(one) + "\n" for one in lines).encode()
)
BODIES = LINES | st.binary(max_size=40)
"""Bodies of lines: nearly valid ones, objects with known keys, any JSON, any bytes."""
SCHEMA = schemathesis.openapi.from_dict(described())
OPERATIONS = {f"{one.ok().method.upper()} {one.ok().path}": one.ok() for one in SCHEMA.get_all_operations()}


pytestmark = [
    # The client of the tests leaves bodies of requests and streamed responses to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True, scope="module")
def _collected():
    yield
    gc.collect()


@pytest.fixture(scope="module")
def rows(rows_of_module):
    # The server closes its connection after each request, which would end the transaction of the tests.
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield (*rows_of_module(build_rows), get_wsgi_application())
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def generated(operation):
    """Cases of an operation, those with a body of lines among them."""
    cases = operation.as_strategy()
    sends = operation.definition.raw.get("requestBody", {}).get("content", {})
    kind = next((one for one in sends if one in ("application/x-ndjson", "application/jsonl")), None)
    if kind is None:
        return cases
    return cases | st.builds(lambda case, body: with_body(case, kind, body), cases, BODIES)


def with_body(case, kind, body):
    """The case with lines, and with nothing for which it could be refused before they are read."""
    case.media_type, case.body, case.query, case.headers = kind, body, {}, {"Content-Type": kind}
    return case


def undescribed(rows, operation, examples, callers):
    """What is sent and not answered as the schema says, for each kind of caller."""
    headers, places, application = rows
    declared = set(operation.definition.raw["responses"])
    found = []

    @settings(max_examples=examples, derandomize=True, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(case=generated(operation))
    def send(case):
        case.path_parameters = {key: places.get(key, value) for key, value in (case.path_parameters or {}).items()}
        for caller in callers:
            cache.clear()
            with transaction.atomic():
                status = str(WSGI_TRANSPORT.send(case, app=application, headers=headers[caller]).status_code)
                transaction.set_rollback(True)
            if status not in declared:
                found.append(f"{caller}: {status} for {case.as_curl_command()}")

    with override_settings(ALLOWED_HOSTS=["*"]):
        send()
    return found


@pytest.mark.parametrize("name", chosen_cases(list(OPERATIONS), list(OPERATIONS)[::3]))
def test_generated_requests_get_described_responses(rows, db, name):
    found = undescribed(rows, OPERATIONS[name], EXAMPLES, CALLERS)
    assert not found, "\n".join(found[:5])


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", OPERATIONS)
def test_many_generated_requests_of_every_role_get_described_responses(rows, db, name):
    found = undescribed(rows, OPERATIONS[name], LONG, (*CALLERS, *OTHERS))
    assert not found, "\n".join(found[:5])
