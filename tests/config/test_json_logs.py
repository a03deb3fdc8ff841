"""Log lines as JSON: one object per line, with the id of the request and without secrets."""

import json
import logging
import subprocess
import sys

import pytest
from django.conf import settings

from config.error_reports import reported
from config.log_lines import JSONLineFormatter
from config.request_ids import working_for
from tests.fewer import first_cases

TOKEN = "q8_Zr-" * 8


def line_of(message, *args, exc_info=None):
    record = logging.LogRecord("test", logging.WARNING, "file.py", 1, message, args, exc_info)
    line = JSONLineFormatter().format(record)
    assert len(line.splitlines()) == 1
    return json.loads(line)


@pytest.mark.parametrize("end", ["\n", "\r", "\x85", "\u2028", "\u202e", "\x1b[2K", '"}'])
def test_nothing_forges_a_line_or_a_key(end):
    with working_for("aaaaaaaaaaaa"):
        found = line_of("File %s is refused", f"a{end}b")
    assert found.pop("time").endswith("+00:00")
    assert found == {
        "level": "WARNING", "logger": "test", "request_id": "aaaaaaaaaaaa", "message": f"File a{end}b is refused",
    }  # fmt: skip


@pytest.mark.parametrize("path", ["/sign-in/short/", "/password/reset/short/", f"/nowhere/{TOKEN}"])
def test_neither_the_message_nor_the_trace_has_a_secret(path):
    try:
        raise ValueError(f"bad {path}")
    except ValueError:
        found = line_of("Not found: %s", path, exc_info=sys.exc_info())
    assert "[secret]" in found["message"]
    assert "ValueError: bad" in found["exception"]
    assert "short" not in json.dumps(found)
    assert TOKEN not in json.dumps(found)


def test_a_line_without_a_request_has_none():
    assert line_of("of a command")["request_id"] is None


SAYS = "import logging, django; django.setup(); logging.getLogger('a').error('said %s', 1)"


@pytest.mark.parametrize("wanted", first_cases(["json", "xml", "text", ""], 2))
def test_the_setting_chooses_the_form(tmp_path, wanted):
    done = subprocess.run(
        [sys.executable, "-c", SAYS], cwd=settings.BASE_DIR, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        env={"PATH": "", "VAR": str(tmp_path), "LOG_FORMAT": wanted, "DJANGO_SETTINGS_MODULE": "config.settings"},
        timeout=60, check=False,
    )  # fmt: skip
    if wanted == "xml":
        assert "LOG_FORMAT must be one of TEXT, JSON" in done.stderr
    elif wanted == "json":
        assert json.loads(done.stderr)["message"] == "said 1"
    else:
        assert done.stderr.endswith("ERROR [-] a said 1\n")


def test_errors_are_reported_only_with_the_package(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", "import sys; sys.modules['sentry_sdk'] = None; import django; django.setup()"],
        cwd=settings.BASE_DIR, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
        env={"PATH": "", "VAR": str(tmp_path), "SENTRY_DSN": "https://key@errors.example/1",
             "DJANGO_SETTINGS_MODULE": "config.settings"},
    )  # fmt: skip
    assert "sentry-sdk is not installed" in done.stderr


def test_a_report_has_kinds_and_places_and_nothing_that_a_person_wrote():
    frame = {"filename": "a.py", "function": "f", "lineno": 3, "vars": {"x": "CANARY"}, "context_line": "CANARY"}
    event = {
        "event_id": "e", "level": "error", "logger": "django.request", "server_name": "CANARY",
        "logentry": {"message": "Failed: %s", "formatted": "Failed: CANARY", "params": ["CANARY"]},
        "exception": {"values": [
            {"type": "ValueError", "module": None, "value": "CANARY", "stacktrace": {"frames": [frame]}}
        ]},
        "request": {"url": "CANARY", "data": "CANARY"}, "user": {"id": "CANARY"}, "extra": {"a": "CANARY"},
        "breadcrumbs": {"values": ["CANARY"]}, "modules": {}, "contexts": {"trace": "CANARY"},
    }  # fmt: skip
    with working_for("aaaaaaaaaaaa"):
        sent = reported(event)
    assert "CANARY" not in json.dumps(sent)
    assert sent["logentry"] == {"message": "Failed: %s"}
    assert sent["tags"] == {"request_id": "aaaaaaaaaaaa"}
    assert sent["exception"]["values"] == [
        {"type": "ValueError", "module": None,
         "stacktrace": {"frames": [{"filename": "a.py", "function": "f", "lineno": 3}]}}
    ]  # fmt: skip
