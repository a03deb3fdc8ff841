"""Generated requests find no crash and no response that the schema does not describe, for each kind of caller."""

import gc
import os

import pytest
import schemathesis
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from django.test import Client, override_settings
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.transport.wsgi import WSGI_TRANSPORT

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from annotation.members.tokens import issue_account_token, issue_token
from reports.api.schema import described
from tests.conftest import live_study, make_person
from tests.reports.kept_rows import add_kept_export

EXAMPLES = int(os.environ.get("EXAMPLES", "3"))
"""Requests per operation and caller; a longer run by hand sets EXAMPLES in the environment."""
CALLERS = ("anonymous", "owner session", "token read", "token write", "token annotate")


def build_rows():
    """A live study with answers, and what each caller sends to be known."""
    owner, rater = make_person("owner", is_staff=True), make_person("rater")
    study = live_study(owner, rater)
    first = next_assignment(study, rater_for(study, rater))
    form = {"q-follows": ["true"], "q-how_well": ["5"]}
    answer = submit(first, Submission(form=form, revision=0, guidelines_version=1))
    places = {"slug": "study", "key": str(first.key), "number": answer.pk, "name": "items.jsonl",
              "id": add_kept_export(study).pk}  # fmt: skip
    session = Client()
    session.force_login(owner)
    tokens = {
        "token read": issue_token(study, owner, name="r", scope="read"),
        "token write": issue_account_token(owner, name="w", scope="write", makes_studies=True),
        "token annotate": issue_token(study, rater, name="a", scope="annotate"),
    }
    headers = {name: {"Authorization": f"Bearer {secret}"} for name, secret in tokens.items()}
    headers["owner session"] = {"Cookie": f"sessionid={session.cookies['sessionid'].value}"}
    return {**headers, "anonymous": {}}, places


@schemathesis.serializer("application/x-ndjson", "application/jsonl")
def as_lines(context, value):
    """A generated body as it is sent."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


SCHEMA = schemathesis.openapi.from_dict(described())
OPERATIONS = {f"{one.ok().method.upper()} {one.ok().path}": one.ok() for one in SCHEMA.get_all_operations()}


pytestmark = [
    # The client of the tests leaves bodies of requests and streamed responses to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
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


@pytest.mark.one_database
@pytest.mark.parametrize("name", OPERATIONS)
def test_generated_requests_get_described_responses(rows, db, name):
    headers, places, application = rows
    operation = OPERATIONS[name]
    declared = set(operation.definition.raw["responses"])
    found = []

    @settings(max_examples=EXAMPLES, derandomize=True, deadline=None, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(case=operation.as_strategy())
    def send(case):
        case.path_parameters = {key: places.get(key, value) for key, value in (case.path_parameters or {}).items()}
        for caller in CALLERS:
            cache.clear()
            with transaction.atomic():
                status = str(WSGI_TRANSPORT.send(case, app=application, headers=headers[caller]).status_code)
                transaction.set_rollback(True)
            if status not in declared:
                found.append(f"{caller}: {status} for {case.as_curl_command()}")

    with override_settings(ALLOWED_HOSTS=["*"]):
        send()
    assert not found, "\n".join(found[:5])
