"""One HTTP request as its bytes arrive, kept until all of it is there."""

import re
from tempfile import SpooledTemporaryFile

IN_MEMORY = 256 * 1024
"""Bytes of a request that are kept in memory; more go into a temporary file."""
LARGEST_HEAD = 64 * 1024
HEAD_END = b"\r\n\r\n"
LENGTH = re.compile(rb"[0-9]{1,18}")


class IncomingRequest:
    """Collects the bytes of a request until it can be answered without waiting for its client.

    Only what says where the request ends is read here; gunicorn parses the request afterwards, and answers one that
    makes no sense. `refused`: its body is not read, because its length is too large or unknown.
    """

    def __init__(self, largest_body: int, now: float) -> None:
        self.largest_body, self.started = largest_body, now
        self.received = 0
        self.refused = False
        self.has_more = False
        """Whether bytes came after the end of the request."""
        self.content = SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 - closed by `close`
        self._head = bytearray()
        self._missing: int | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the request can be answered now."""
        return self.refused or self._missing == 0

    def begins_with(self, starts: tuple[bytes, ...]) -> bool:
        """Whether the request, of which the head has arrived, begins with one of these."""
        return self._head.startswith(starts)

    def feed(self, data: bytes) -> bool:
        """Take the next bytes; return whether the client waits for `100 Continue` before it sends more."""
        self.received += len(data)
        if self._missing is not None:
            self._take_body(data)
            return False
        searched = max(0, len(self._head) - len(HEAD_END) + 1)
        self._head += data
        end = self._head.find(HEAD_END, searched)
        if end < 0:
            if len(self._head) > LARGEST_HEAD:
                self._refuse(bytes(self._head))
            return False
        end += len(HEAD_END)
        head, body = bytes(self._head[:end]), bytes(self._head[end:])
        fields = fields_of(head)
        length = announced_length(fields)
        if length is None or length > self.largest_body:
            self._refuse(head)
            return False
        self.content.write(head)
        self._missing = length
        self._take_body(body)
        return not self.is_complete and (b"expect", b"100-continue") in fields

    def deadline(self, seconds: float, bytes_per_second: float) -> float:
        """When the request must be complete: `seconds` after its start, and later the more of it has arrived."""
        return self.started + seconds + self.received / bytes_per_second

    def close(self) -> None:
        """Free the memory or the file."""
        self.content.close()

    def _take_body(self, data: bytes) -> None:
        missing = self._missing or 0
        self.content.write(data[:missing])
        self.has_more = self.has_more or len(data) > missing
        self._missing = max(0, missing - len(data))

    def _refuse(self, head: bytes) -> None:
        self.refused = True
        self.content.write(head)


def fields_of(head: bytes) -> list[tuple[bytes, bytes]]:
    """The header fields of a request, in lower case."""
    lines = head.lower().split(b"\r\n")[1:]
    pairs = (line.partition(b":") for line in lines if line)
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def announced_length(fields: list[tuple[bytes, bytes]]) -> int | None:
    """The length of the body, or None if the request does not say it, or says it in two ways."""
    if any(name == b"transfer-encoding" for name, _ in fields):
        return None
    lengths = [value for name, value in fields if name == b"content-length"]
    if not lengths:
        return 0
    return int(lengths[0]) if len(lengths) == 1 and LENGTH.fullmatch(lengths[0]) else None
