"""SQLite's write lock held by another process: every address answers, and says when to try again."""

from contextlib import contextmanager
from itertools import product

import pytest
from django.db import connection

from annotation.desk.assigning import next_assignment
from annotation.members.membership import rater_for
from annotation.models import Annotation
from tests.processes import child, finished, said, tell
from tests.world import PEOPLE, ROUTES, SOME_ROUTES, build_world

HOLD = """
from django.db import transaction
from accounts.models import Person
with transaction.atomic():
    Person.objects.update(first_name="changed")
    print("held", flush=True)
    sys.stdin.readline()
"""
SENTENCE = "Your request was not completed. Go back, wait a few seconds, and check what was saved before you try again."

pytestmark = [
    pytest.mark.both,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite has one write lock"),
]


@contextmanager
def write_lock_held_elsewhere():
    """Another process writes; on this connection a lock that is not free at once is an error."""
    options = connection.settings_dict["OPTIONS"]
    timeout = options["timeout"]
    with child(HOLD) as other:
        options["timeout"] = 0
        assert said(other) == "held"
        try:
            yield
        finally:
            options["timeout"] = timeout
        tell(other)
        finished(other)


@pytest.mark.thorough
def test_a_page_that_reads_is_answered_and_a_submission_learns_when_to_retry(client, study, rater):
    client.force_login(rater)
    assignment = next_assignment(study, rater_for(study, rater))
    form = {"revision": "0", "q-follows": "true", "q-how_well": "4"}
    with write_lock_held_elsewhere():
        assert client.get("/").status_code == 200
        for path in (f"/work/{assignment.key}/submit/", "/studies/study/next/"):
            response = client.post(path, form)
            assert (response.status_code, response.headers["Retry-After"]) == (503, "5")
            assert SENTENCE in response.content.decode()
        assert not Annotation.objects.exists()
    assert client.post(f"/work/{assignment.key}/submit/", form).status_code == 302
    assert Annotation.objects.count() == 1


@pytest.mark.parametrize(
    ("names", "routes"),
    [(["owner"], SOME_ROUTES), pytest.param([*PEOPLE], ROUTES, marks=pytest.mark.thorough)],
    ids=("owner", "everybody"),
)
def test_no_address_answers_a_locked_database_with_an_error_of_ours(names, routes):
    clients, address = build_world()
    wrong, busy = [], 0
    with write_lock_held_elsewhere():
        for name, route in product(names, routes):
            clients[name].raise_request_exception = False
            for method in ("get", "post"):
                response = getattr(clients[name], method)(address(route))
                response.close()
                asked_back = response.status_code == 503 and response.headers.get("Retry-After") == "5"
                busy += asked_back
                if response.status_code >= 500 and not asked_back:
                    wrong.append((name, method, route, response.status_code))
    assert wrong == []
    assert busy > 40
