"""Programs with tokens of a small study, for the tests of the programming interface."""

import json

import pytest
from django.core.cache import cache
from django.test import Client

from annotation.tokens import issue
from config.problems import MEDIA_TYPE

NDJSON = "application/x-ndjson"


class Program(Client):
    """A client that sends a token with each request."""

    def __init__(self, secret, **more):
        super().__init__(headers={"Authorization": f"Bearer {secret}"}, **more)
        self.secret = secret

    def send(self, path, lines, content_type=NDJSON, **more):
        """POST lines: objects as JSONL, or bytes as they are."""
        body = lines if isinstance(lines, bytes) else "".join(json.dumps(line) + "\n" for line in lines).encode()
        return self.post(path, body, content_type=content_type, **more)


@pytest.fixture(autouse=True)
def _nobody_asked_before():
    cache.clear()


@pytest.fixture
def reading(study, owner):
    return Program(issue(study, owner, name="reads", scope="read"))


@pytest.fixture
def writing(study, owner):
    return Program(issue(study, owner, name="writes", scope="write"))


def problem(response, status):
    """The body of a problem, after a look at what all of them have."""
    assert (response.status_code, response["Content-Type"]) == (status, MEDIA_TYPE)
    body = response.json()
    assert body["status"] == status
    assert body["request_id"] == response["X-Request-Id"]
    assert body["title"]
    assert body["detail"]
    assert response["Cache-Control"] == "no-store, private"
    return body
