"""Log lines that user data cannot forge and that carry no secrets."""

import logging
import re
from typing import Any

LINK = re.compile(r"(/(?:sign-in|invitation)/)[^/\s]+")
"""What follows in such an address lets somebody in, whole or mistyped by a letter or two."""
SECRET = re.compile(r"[A-Za-z0-9_-]{38,}")
"""Our secrets have 43 such characters; the identifiers that a log needs, UUIDs, have 36."""
INDENT = "    "


def on_one_line(text: str) -> str:
    """`text` with control characters written out as escapes and secrets of links left out."""
    escaped = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return SECRET.sub("[secret]", LINK.sub(r"\1[secret]", escaped))


class OneLineFormatter(logging.Formatter):
    """One record, one line; the lines of a trace follow indented, so that none can look like a record."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def formatMessage(self, record: logging.LogRecord) -> str:
        return on_one_line(super().formatMessage(record))

    def formatException(self, ei: Any) -> str:
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:
        return _indented(super().formatStack(stack_info))


def _indented(text: str) -> str:
    # Only real line ends part lines here: any other separator becomes an escape.
    return "\n".join(INDENT + on_one_line(line) for line in text.split("\n"))
