"""Bodies of uploads: bounded, complete, and on the disk before anything is locked for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.http import UnreadablePostError
from rest_framework.exceptions import ParseError
from rest_framework.request import Request

from reports.api.errors import LengthRequiredError, TooLargeError

CHUNK = 1 << 16
CUT = "The body ended before its Content-Length: nothing was imported. Send it again."


@contextmanager
def received(request: Request, name: str) -> Iterator[Path]:
    """The body as a file called `name`, which is gone at the end.

    The import's transaction, which others who write wait for, must never wait for a slow sender: so the whole body
    comes first. Raises TooLargeError (before reading, where the length says so), LengthRequiredError or ParseError.
    """
    if "Transfer-Encoding" in request.headers:
        raise LengthRequiredError
    length = int(request.META.get("CONTENT_LENGTH") or 0)
    if length > settings.UPLOAD_BYTES:
        raise TooLargeError(f"The body may have {settings.UPLOAD_BYTES} bytes at most: send it in parts.")
    stream = request.data
    if not length:
        raise ParseError("The body is empty: send JSONL, one object a line.")
    with TemporaryDirectory(prefix="interrater-upload-") as folder:
        path = Path(folder) / name
        _receive(stream, path, length)
        yield path


def _receive(stream: Any, path: Path, length: int) -> None:
    got = rows = 0
    with path.open("wb") as file:
        try:
            while chunk := stream.read(CHUNK):
                got += len(chunk)
                rows += chunk.count(b"\n")
                if rows > settings.UPLOAD_ROWS:
                    raise TooLargeError(f"The body may have {settings.UPLOAD_ROWS} lines at most: send it in parts.")
                file.write(chunk)
        except UnreadablePostError:
            raise ParseError(CUT) from None
    if got != length:
        raise ParseError(CUT)
