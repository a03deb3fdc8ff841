"""Check 62: nothing that a visitor sends forges a log line, and no secret gets into the log."""

import base64
import logging
from io import StringIO
from urllib.parse import quote

import pytest

from accounts.models import SignInLink
from accounts.signing_in import issue_link
from config.logs import OneLineFormatter

FORGED = "2026-11-20 10:00:00,000 INFO accounts signed in as owner"


@pytest.fixture
def log(settings):
    """What the whole application logs at DEBUG, formatted as it is on the console."""
    written = StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(OneLineFormatter())
    root, before = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield written
    root.removeHandler(handler)
    root.setLevel(before)


@pytest.mark.parametrize(
    "end", ["\n", "\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", "\x1b[2K", "\x08" * 80]
)
def test_check_62_control_characters_forge_no_line(log, end):
    logging.getLogger("test").warning("File %s is refused", f"a{end}{FORGED}")
    assert len(log.getvalue().splitlines()) == 1
    assert "\x1b" not in log.getvalue()
    assert "\x08" not in log.getvalue()


@pytest.mark.parametrize("end", ["\n", "\r", "\u2028"])
def test_check_62_the_text_of_an_exception_forges_no_line(log, end):
    try:
        raise ValueError(f"bad value{end}{FORGED}")
    except ValueError:
        logging.getLogger("test").exception("Import of %s failed", f"x{end}{FORGED}")
    lines = log.getvalue().splitlines()
    assert any(FORGED in line for line in lines)
    assert [line for line in lines if line.startswith("2026-11-20 10:00:00,000")] == []
    assert all(line.startswith("    ") for line in lines[1:])


def test_check_62_reversed_text_is_shown_as_an_escape(log):
    logging.getLogger("test").warning("name %s", "\u202eresu")
    assert "\u202e" not in log.getvalue()
    assert "\\u202e" in log.getvalue()


@pytest.mark.django_db
def test_check_62_an_address_that_is_not_found_is_logged_on_one_line(client, log):
    client.get("/nothing%0A" + quote(FORGED))
    (line,) = [line for line in log.getvalue().splitlines() if "Not Found" in line]
    assert FORGED in line


def shapes(secret: str) -> list[str]:
    """The forms in which a secret could be written."""
    return [secret, secret[:8], quote(secret), base64.b64encode(secret.encode()).decode()]


@pytest.mark.django_db
def test_check_62_neither_password_nor_session_is_logged(client, rater, log):
    password = "Kwasm!% planted9"
    rater.set_password(password)
    rater.save()
    client.post("/sign-in/", {"username": rater.username, "password": password + "wrong"})
    client.post("/sign-in/", {"username": password, "password": password})
    client.post("/sign-in/", {"username": rater.username, "password": password})
    session = client.cookies["sessionid"].value
    client.get("/nothing-here")
    client.post("/password/", {"old_password": password, "new_password1": password, "new_password2": "x"})
    assert "Not Found" in log.getvalue()
    for secret in (password, session):
        for shape in shapes(secret):
            assert shape not in log.getvalue()


@pytest.mark.django_db
def test_check_62_a_link_that_lets_somebody_in_is_not_logged(client, rater, log):
    path = issue_link(rater)
    token = path.rstrip("/").rpartition("/")[2]
    client.put(path)
    client.get(path.rstrip("/") + "/typo")
    assert "Method Not Allowed" in log.getvalue()
    assert "Not Found" in log.getvalue()
    assert SignInLink.objects.filter(used_at=None).count() == 1
    for shape in shapes(token):
        assert shape not in log.getvalue()


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/invitation/{}/", "/sign-in/{}/", "/{}/nowhere/"])
@pytest.mark.parametrize("length", [42, 43, 44])
def test_check_62_a_mistyped_secret_is_not_logged(client, log, address, length):
    token = ("q8_Zr-" * 8)[:length]
    client.get(address.format(token))
    client.put(address.format(token))
    assert "[secret]" in log.getvalue()
    assert token[:30] not in log.getvalue()


def test_check_62_a_link_cut_short_is_not_logged_and_an_assignment_is(log):
    logging.getLogger("test").warning("Not Found: /invitation/q8_Zr-q8_Zr/ and /sign-in/q8_Zr-q8_Zr?x=1")
    logging.getLogger("test").warning("Gone: /assignment/0b8f2f0e-9d3c-4e0a-8a57-0d7a2a4c9f11/")
    assert "q8_Zr" not in log.getvalue()
    assert "0b8f2f0e-9d3c-4e0a-8a57-0d7a2a4c9f11" in log.getvalue()
