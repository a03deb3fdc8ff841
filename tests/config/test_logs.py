"""Nothing that a visitor sends forges a log line, and no secret gets into the log."""

import base64
import logging
import re
import subprocess
import sys
import threading
from io import StringIO
from urllib.parse import quote

import pytest
from django.conf import settings
from django.http import HttpResponse
from django.test import RequestFactory

from accounts.models import SignInLink
from accounts.sign_in_links import issue_link
from config.log_lines import OneLineFormatter
from config.middleware import RequestMiddleware

FORGED = "2026-11-20 10:00:00,000 INFO accounts signed in as owner"


@pytest.fixture
def log():
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
def test_control_characters_forge_no_line(log, end):
    logging.getLogger("test").warning("File %s is refused", f"a{end}{FORGED}")
    assert len(log.getvalue().splitlines()) == 1
    assert "\x1b" not in log.getvalue()
    assert "\x08" not in log.getvalue()


@pytest.mark.parametrize("end", ["\n", "\r", "\u2028"])
def test_the_text_of_an_exception_forges_no_line(log, end):
    try:
        raise ValueError(f"bad value{end}{FORGED}")
    except ValueError:
        logging.getLogger("test").exception("Import of %s failed", f"x{end}{FORGED}")
    lines = log.getvalue().splitlines()
    assert any(FORGED in line for line in lines)
    assert [line for line in lines if line.startswith("2026-11-20 10:00:00,000")] == []
    assert all(line.startswith("    ") for line in lines[1:])


def test_reversed_text_is_shown_as_an_escape(log):
    logging.getLogger("test").warning("name %s", "\u202eresu")
    assert "\u202e" not in log.getvalue()
    assert "\\u202e" in log.getvalue()


@pytest.mark.django_db
def test_an_address_that_is_not_found_is_logged_on_one_line(client, log):
    client.get("/nothing%0A" + quote(FORGED))
    (line,) = [line for line in log.getvalue().splitlines() if "Not Found" in line]
    assert FORGED in line


def shapes(secret: str) -> list[str]:
    """The forms in which a secret could be written."""
    return [secret, secret[:8], quote(secret), base64.b64encode(secret.encode()).decode()]


@pytest.mark.django_db
def test_neither_password_nor_session_is_logged(client, rater, log):
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
def test_a_link_that_lets_somebody_in_is_not_logged(client, rater, log):
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
def test_a_mistyped_secret_is_not_logged(client, log, address, length):
    token = ("q8_Zr-" * 8)[:length]
    client.get(address.format(token))
    client.put(address.format(token))
    assert "[secret]" in log.getvalue()
    assert token[:30] not in log.getvalue()


def test_a_link_cut_short_is_not_logged_and_an_assignment_is(log):
    logging.getLogger("test").warning("Not Found: /invitation/q8_Zr-q8_Zr/ and /sign-in/q8_Zr-q8_Zr?x=1")
    logging.getLogger("test").warning("Gone: /assignment/0b8f2f0e-9d3c-4e0a-8a57-0d7a2a4c9f11/")
    assert "q8_Zr" not in log.getvalue()
    assert "0b8f2f0e-9d3c-4e0a-8a57-0d7a2a4c9f11" in log.getvalue()


def id_of(line):
    return re.fullmatch(r"\S+ \S+ [A-Z]+ \[([0-9a-f]{12}|-)\] .*", line)[1]


@pytest.mark.django_db
def test_every_line_of_a_request_carries_its_id(client, owner, log, monkeypatch):
    """Also those that Django writes when the response is already made."""

    def broken(person):
        logging.getLogger("annotation").warning("on the way")
        raise RuntimeError("inside")

    monkeypatch.setattr("annotation.views.home.work_of", broken)
    client.force_login(owner)
    client.raise_request_exception = False
    log.truncate(0)
    ids = {client.get(path)["X-Request-Id"] for path in ("/", "/nothing/")}
    lines = [line for line in log.getvalue().strip("\0").splitlines() if not line.startswith("    ")]
    for words in ("on the way", "Internal Server Error: /", "Not Found: /nothing/"):
        assert any(words in line for line in lines)
    assert len(ids) == 2
    assert {id_of(line) for line in lines} == ids


def test_requests_at_once_keep_their_ids_apart(log):
    together = threading.Barrier(4)

    def home(request):
        logging.getLogger("test").warning("first of %s", request.request_id)
        together.wait(60)
        logging.getLogger("test").warning("second of %s", request.request_id)
        return HttpResponse()

    middleware = RequestMiddleware(home)
    threads = [threading.Thread(target=middleware, args=(RequestFactory().get("/"),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = log.getvalue().splitlines()
    assert len(lines) == 8
    assert all(line.endswith(id_of(line)) for line in lines)


def test_a_log_line_without_a_request_has_a_dash(log):
    logging.getLogger("test").warning("of a command")
    (line,) = log.getvalue().splitlines()
    assert id_of(line) == "-"


LINES = """
import logging
import django
django.setup()
for name in ("django.request", "accounts", "celery.worker"):
    for level in ("info", "warning", "error"):
        getattr(logging.getLogger(name), level)("said")
"""


@pytest.mark.thorough
@pytest.mark.parametrize(("level", "said"), [("", 9), ("WARNING", 6), ("ERROR", 3)])
def test_the_log_level_applies_to_libraries_too(tmp_path, level, said):
    done = subprocess.run(
        [sys.executable, "-c", LINES], cwd=settings.BASE_DIR, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env={"PATH": "", "VAR": str(tmp_path), "LOG_LEVEL": level, "DJANGO_SETTINGS_MODULE": "config.settings"},
        timeout=60, check=True,
    )  # fmt: skip
    assert done.stderr.count(" said") == said


GUNICORN = """
from gunicorn.config import Config
from config.gunicorn_logger import OneLineLogger

log = OneLineLogger(Config())
try:
    raise OSError("broken\\nof two lines")
except OSError:
    log.exception("Error handling request %s", "/sign-in/q8_Zr-q8_Zr/")
"""


def test_lines_of_gunicorn_have_the_same_form_and_no_secrets():
    named = subprocess.run(
        [sys.executable, "-m", "gunicorn", "--print-config", "config.wsgi"], cwd=settings.BASE_DIR, text=True,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=True,
    ).stdout  # fmt: skip
    assert "config.gunicorn_logger.OneLineLogger" in named
    done = subprocess.run(
        [sys.executable, "-c", GUNICORN], cwd=settings.BASE_DIR, text=True, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    first, *trace = done.stderr.splitlines()
    assert id_of(first) == "-"
    assert first.endswith("Error handling request /sign-in/[secret]/")
    assert trace
    assert all(line.startswith("    ") for line in trace)
