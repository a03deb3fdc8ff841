"""Bodies of uploads: limited, complete, and on disk before the import takes any lock."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.http import UnreadablePostError
from rest_framework.exceptions import ParseError
from rest_framework.request import Request

from api.requests.api_errors import LengthRequiredError, TooLargeError
from config.middleware import stated_length

CHUNK = 1 << 16
CUT = "The body is shorter than its Content-Length. Nothing was imported; send it again."


@contextmanager
def received(request: Request, name: str) -> Iterator[Path]:
    """The body as a temporary file called `name`.

    It is received in full before the import's transaction begins, because other writers wait for that transaction and
    must never wait for a slow client. Raises TooLargeError (before reading, if the length is known to be too large),
    LengthRequiredError or ParseError.
    """
    if "Transfer-Encoding" in request.headers:
        raise LengthRequiredError
    length = stated_length(request)
    if length > settings.UPLOAD_BYTES:
        raise TooLargeError(f"The body may have at most {settings.UPLOAD_BYTES} bytes. Send it in parts.")
    stream = request.data
    if not length:
        raise ParseError("The body is empty. Send JSONL, one object per line.")
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
                    raise TooLargeError(f"The body may have at most {settings.UPLOAD_ROWS} lines. Send it in parts.")
                file.write(chunk)
        except UnreadablePostError:
            raise ParseError(CUT) from None
    if got != length:
        raise ParseError(CUT)
