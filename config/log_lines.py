"""Log lines that user data cannot forge and that carry no secrets: as text for people, or as JSON for programs."""

import json
import logging
import os
import re
from datetime import UTC, datetime
from typing import Any

from config.request_ids import request_id_of

LINK = re.compile(r"(/(?:sign-in|invitation|reset)/)[^/\s]+")
"""The rest of such an address is a secret, even if it was mistyped."""
SECRET = re.compile(r"[A-Za-z0-9_-]{38,}")
"""Our secrets have 43 such characters. The identifiers that a log needs, UUIDs, have 36."""
INDENT = "    "


def on_one_line(text: str) -> str:
    """Return `text` with control characters as escapes and without the secrets of links."""
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return without_secrets(escaped)


def without_secrets(text: str) -> str:
    """Return `text` without the secrets of links."""
    return SECRET.sub("[secret]", LINK.sub(r"\1[secret]", text))


class OneLineFormatter(logging.Formatter):
    """Writes each record on one line, with the id of its request, or a dash if it belongs to none.

    The lines of a trace follow indented, so that none of them looks like a record.
    """

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s [%(request_id)s] %(name)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        record.request_id = request_id_of(record) or "-"
        return on_one_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:
        return _indented(super().formatStack(stack_info))


class JSONLineFormatter(logging.Formatter):
    """Writes each record as one JSON object on one line, without the secrets of links."""

    def format(self, record: logging.LogRecord) -> str:
        found = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname, "logger": record.name, "request_id": request_id_of(record) or None,
            "message": without_secrets(record.getMessage()),
        }  # fmt: skip
        if record.exc_info and record.exc_info[0] is not None:
            found["exception"] = without_secrets(self.formatException(record.exc_info))
        if record.stack_info:
            found["stack"] = without_secrets(record.stack_info)
        return json.dumps(found, ensure_ascii=True)


def line_formatter() -> logging.Formatter:
    """The formatter that LOG_FORMAT asks for; `config.environment` has checked it."""
    wants_json = os.environ.get("LOG_FORMAT", "").strip().upper() == "JSON"
    return JSONLineFormatter() if wants_json else OneLineFormatter()


def _indented(text: str) -> str:
    # Only real line ends separate lines here; any other separator becomes an escape.
    return "\n".join(INDENT + on_one_line(line) for line in text.split("\n"))
