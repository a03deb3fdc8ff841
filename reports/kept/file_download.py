"""Sends a kept file: streamed, with its length and its digest as entity tag; whole, or from a place on."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.cache import patch_cache_control

RANGE = re.compile(r"bytes=(\d{1,18})-(\d{0,18})")
CHUNK = 1 << 16
ZIP = "application/zip"


def send_file(request: HttpRequest, path: Path, name: str, sha256: str) -> HttpResponseBase:
    """The file at `path` as an attachment called `name`. Memory does not grow with it. Raises FileNotFoundError.

    A range that begins at a byte continues an interrupted download (206); any other is ignored, as HTTP allows.
    """
    tag = f'"{sha256}"'
    file, size = path.open("rb"), path.stat().st_size
    response: HttpResponseBase
    if request.headers.get("If-None-Match") == tag:
        file.close()
        response = HttpResponse(status=304)
    else:
        found = _range(request, tag, size)
        if found is None:
            response = FileResponse(file, as_attachment=True, filename=name, content_type=ZIP)
        else:
            response = _part(file, *found, size)
            response["Content-Disposition"] = f'attachment; filename="{name}"'
        response["Accept-Ranges"] = "bytes"
    response["ETag"] = tag
    patch_cache_control(response, private=True, no_cache=True)
    return response


def _range(request: HttpRequest, tag: str, size: int) -> tuple[int, int] | None:
    """The first byte and the one after the last, if the request asks for one part of this very file."""
    found = RANGE.fullmatch(request.headers.get("Range", ""))
    if found is None or request.headers.get("If-Range", tag) != tag:
        return None
    start = int(found[1])
    end = min(int(found[2]) + 1, size) if found[2] else size
    return (start, end) if start < end else None


def _part(file: IO[bytes], start: int, end: int, size: int) -> StreamingHttpResponse:
    response = StreamingHttpResponse(_bytes(file, start, end), status=206, content_type=ZIP)
    response["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    response["Content-Length"] = str(end - start)
    return response


def _bytes(file: IO[bytes], start: int, end: int) -> Iterator[bytes]:
    with file:
        file.seek(start)
        while start < end and (chunk := file.read(min(CHUNK, end - start))):
            start += len(chunk)
            yield chunk
