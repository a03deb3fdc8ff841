"""Which errors of a database or a disk are outages, and what people see."""

import errno

import psycopg
import pytest
from django.db import DataError, IntegrityError, InterfaceError, OperationalError

from accounts.hashing import HashingBusyError
from config.outages import outage_status
from config.site_busy import SiteBusyError


def wrapped(driver, kind=OperationalError):
    """The error as Django raises it for one of the driver."""
    problem = kind(str(driver))
    problem.__cause__ = driver
    return problem


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (wrapped(psycopg.OperationalError("connection refused")), 503),
        (wrapped(psycopg.errors.AdminShutdown("terminating connection")), 503),
        (wrapped(psycopg.errors.CannotConnectNow("the database system is starting up")), 503),
        (wrapped(psycopg.errors.TooManyConnections("sorry, too many clients already")), 503),
        (wrapped(psycopg.errors.DeadlockDetected("deadlock detected")), 503),
        (wrapped(psycopg.errors.DiskFull("could not extend file")), 507),
        (wrapped(psycopg.errors.QueryCanceled("canceling statement")), None),
        (wrapped(psycopg.errors.UniqueViolation("duplicate key"), IntegrityError), None),
        (wrapped(psycopg.errors.NumericValueOutOfRange("out of range"), DataError), None),
        (InterfaceError("connection already closed"), 503),
        (OperationalError("database is locked"), 503),
        (OperationalError("unable to open database file"), 503),
        (OperationalError("database or disk is full"), 507),
        (OperationalError("no such table: annotation_item"), None),
        (OSError(errno.ENOSPC, "No space left on device"), 507),
        (OSError(errno.EDQUOT, "Disk quota exceeded"), 507),
        (PermissionError(errno.EACCES, "Permission denied"), None),
        (SiteBusyError(), 503),
        (HashingBusyError(), 503),
        (RuntimeError("a bug"), None),
        (None, None),
    ],
)
def test_outages_are_told_from_errors_of_ours(problem, status):
    assert outage_status(problem) == status


def test_an_outage_is_found_behind_the_error_that_it_caused():
    problem = RuntimeError("the answer could not be stored")
    problem.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert outage_status(problem) == 507
    unrelated = RuntimeError("a bug")
    unrelated.__context__, unrelated.__suppress_context__ = OSError(errno.ENOSPC, "full"), True
    assert outage_status(unrelated) is None


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("problem", "status", "after", "words"),
    [
        (wrapped(psycopg.OperationalError("server closed the connection")), 503, "5", "The site is busy"),
        (OperationalError("database or disk is full"), 507, "60", "The disk is full"),
    ],
)
def test_people_and_programs_get_a_page_that_says_when_to_try_again(
    client, owner, monkeypatch, problem, status, after, words
):
    def failing(person):
        raise problem

    monkeypatch.setattr("annotation.views.home.work_of", failing)
    client.force_login(owner)
    client.raise_request_exception = False
    response = client.get("/")
    page = response.content.decode()
    assert (response.status_code, response["Retry-After"]) == (status, after)
    assert words in page
    assert response["X-Request-Id"] in page
    assert str(problem) not in page
    as_json = client.get("/", headers={"Accept": "application/json"})
    assert (as_json.status_code, as_json["Retry-After"]) == (status, after)
