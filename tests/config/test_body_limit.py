"""Requests that are too large are refused before they are read, in the form that the client accepts."""

import pytest
from django.conf import settings


def announce(client, path, length, **headers):
    """A POST that announces `length` bytes."""
    return client.generic("POST", path, b"", CONTENT_LENGTH=str(length), headers=headers)


@pytest.mark.parametrize("length", [settings.LARGEST_BODY + 1, 10**30])
def test_a_body_over_the_limit_gets_a_page_that_says_so(client, length):
    response = announce(client, "/sign-in/", length)
    assert response.status_code == 413
    assert "larger than this site accepts" in response.content.decode()
    assert "X-Request-Id" in response


def test_scripts_and_programs_get_the_reason_as_json(client):
    told = announce(client, "/sign-in/", settings.LARGEST_BODY + 1, accept="application/json")
    assert (told.status_code, told.json()["error"]) == (413, "The request is larger than this site accepts.")
    problem = announce(client, "/api/studies/", settings.LARGEST_BODY + 1)
    assert (problem.status_code, problem.json()["status"]) == (413, 413)
    assert problem["Content-Type"] == "application/problem+json"


def test_a_body_of_unknown_length_is_refused(client):
    response = client.post("/sign-in/", {}, headers={"Transfer-Encoding": "chunked"})
    assert response.status_code == 411
    assert "Content-Length" in response.content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("length", ["", "0", "5", "no number", "-5"])
def test_other_lengths_are_left_to_the_view(client, length):
    assert announce(client, "/sign-in/", length).status_code not in (411, 413)
