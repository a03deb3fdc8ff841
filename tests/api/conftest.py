"""API clients with tokens for a small study."""

import json

import pytest
from django.core.cache import cache
from django.test import Client

from annotation.members.tokens import issue_token
from config.problem_details import MEDIA_TYPE

NDJSON = "application/x-ndjson"


class Program(Client):
    """A client that sends a token with each request."""

    def __init__(self, secret, **more):
        super().__init__(headers={"Authorization": f"Bearer {secret}"}, **more)
        self.secret = secret

    def send(self, path, lines, content_type=NDJSON, **more):
        """POST lines: objects as JSONL, or bytes unchanged."""
        body = lines if isinstance(lines, bytes) else "".join(json.dumps(line) + "\n" for line in lines).encode()
        return self.post(path, body, content_type=content_type, **more)


@pytest.fixture(autouse=True)
def nobody_asked_before():
    cache.clear()


@pytest.fixture
def reading(study, owner):
    return Program(issue_token(study, owner, name="reads", scope="read"))


@pytest.fixture
def writing(study, owner):
    return Program(issue_token(study, owner, name="writes", scope="write"))


def problem(response, status):
    """The body of a problem response, after checking what all problems have in common."""
    assert (response.status_code, response["Content-Type"]) == (status, MEDIA_TYPE)
    body = response.json()
    assert body["status"] == status
    assert body["request_id"] == response["X-Request-Id"]
    assert body["title"]
    assert body["detail"]
    assert response["Cache-Control"] == "no-store, private"
    return body
