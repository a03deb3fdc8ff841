"""Receivers of webhooks on this machine, for tests."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DROP = 0
"""In place of a status: close the connection without a response."""


@dataclass
class Receiver:
    """What was received: (headers, body), in order; `answers` are the next statuses, then 204."""

    port: int = 0
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    before_response: Callable[[], None] | None = None

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"{self.origin}/hook?x=1"


@contextmanager
def receiver() -> Iterator[Receiver]:
    """A receiver that listens until the block ends."""
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            if found.before_response is not None:
                found.before_response()
            status = found.answers.pop(0) if found.answers else 204
            if status == DROP:
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in found.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
