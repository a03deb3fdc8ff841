"""The scripted server: one thread per connection, limited in number and lifetime."""

import json
import signal
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from llm.scripted.reply_texts import chunks, completion, text_of
from llm.scripted.script import ScriptInvalidError, ScriptStep, marked_steps
from llm.scripted.token_logprobs import scripted_candidates

LARGEST_REQUEST = 8 * 1024 * 1024
MOST_CONNECTIONS = 512
LONGEST_LIFE = 120.0


class ScriptedServer(ThreadingHTTPServer):
    """Responds to `POST /v1/chat/completions` and `/v1/completions` by its steps or those marked in the request.

    Each call is appended to the file `log` when it arrives, as a line of JSON.
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, port: int = 0, steps: tuple[ScriptStep, ...] = (ScriptStep(),), log: Path | None = None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.steps = steps
        self.log = log
        self.calls: list[dict[str, Any]] = []
        self.most_at_once = 0
        self.ending = threading.Event()
        self._at_once = 0
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(MOST_CONNECTIONS)

    @property
    def address(self) -> str:
        """The base URL for clients."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._places.acquire(timeout=5):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def take(self, asked: dict[str, Any], headers: dict[str, str], path: str = "") -> ScriptStep:
        """Record a call and return its step. Calls with the same marks go through them in turn."""
        said = json.dumps([asked.get("model"), asked.get("messages"), asked.get("prompt")], ensure_ascii=False)
        steps = marked_steps(said)
        with self._lock:
            place = said if steps else ""
            number = self._counts[place] = self._counts.get(place, 0) + 1
            self.calls.append(
                {"number": len(self.calls) + 1, "at": time.time(), "path": path, "headers": headers, "asked": asked}
            )
            if self.log is not None:
                line = {"number": len(self.calls), "at": self.calls[-1]["at"], "asked": asked}
                with self.log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
        steps = steps or self.steps
        return steps[min(number, len(steps)) - 1]

    def restart(self) -> None:
        """Forget all calls, so that the next one is the first."""
        with self._lock:
            self.calls.clear()
            self._counts.clear()

    def count(self, change: int) -> None:
        """Count the calls in progress."""
        with self._lock:
            self._at_once += change
            self.most_at_once = max(self.most_at_once, self._at_once)

    def wait(self, seconds: float) -> None:
        """Wait, at most until the server ends."""
        self.ending.wait(min(seconds, LONGEST_LIFE))

    def serve_until_signal(self) -> None:
        """Serve in this process's main thread until SIGTERM or SIGINT."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: threading.Thread(target=self.shutdown, daemon=True).start())
        self.serve_forever(poll_interval=0.1)
        self.ending.set()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: clients that hang up are part of the tests."""


class Handler(BaseHTTPRequestHandler):
    """Handles one connection."""

    protocol_version = "HTTP/1.1"
    server_version = "Scripted"
    timeout = 30
    disable_nagle_algorithm = True
    """Otherwise a body, written after its head, waits 40 ms for the client to confirm the head."""
    server: ScriptedServer

    def log_message(self, format: str, *args: Any) -> None:
        """Write nothing: calls go to the server's own log."""

    def do_GET(self) -> None:
        """Report that the server runs, and its counts."""
        self._send(
            200,
            json.dumps(
                {
                    "object": "list",
                    "data": [],
                    "calls": len(self.server.calls),
                    "most_at_once": self.server.most_at_once,
                }
            ).encode(),
            ScriptStep(),
        )

    def do_POST(self) -> None:
        """Respond to a call."""
        size = int(self.headers.get("Content-Length") or 0)
        if not 0 < size <= LARGEST_REQUEST or not self.path.partition("?")[0].endswith("/completions"):
            self.close_connection = True
            self._send(404, b"{}", ScriptStep())
            return
        try:
            asked = json.loads(self.rfile.read(size))
            step = self.server.take(asked, {name.lower(): value for name, value in self.headers.items()}, self.path)
            scripted_candidates(step)  # refused here if they cannot be read
        except (ValueError, AttributeError, ScriptInvalidError) as problem:
            self._send(
                400, json.dumps({"error": {"message": str(problem), "code": "bad_request"}}).encode(), ScriptStep()
            )
            return
        self.server.count(1)
        try:
            self._answer(asked, step)
        except OSError:
            self.close_connection = True
        finally:
            self.server.count(-1)

    def _answer(self, asked: dict[str, Any], step: ScriptStep) -> None:
        self.server.wait(step.delay)
        if step.silent:
            self.server.wait(LONGEST_LIFE)
        if step.close or step.silent:
            self._hang_up()
        elif step.status != 200:
            error = {
                "message": f"Scripted failure {step.status}.",
                "code": step.code or None,
                "type": step.code or None,
            }
            said = (
                f"{error['message']} {self.headers.get('Authorization', '')}" if step.echo_headers else error["message"]
            )
            self._send(step.status, (step.body or json.dumps({"error": error | {"message": said}})).encode(), step)
        elif step.body:
            self._send(200, step.body.encode("utf-8", "surrogateescape"), step)
        elif asked.get("stream"):
            self._stream(asked, step)
        else:
            self._send(200, json.dumps(completion(asked, step, text_of(asked, step))).encode(), step)

    def _head(self, step: ScriptStep, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", step.content_type or kind)
        self.send_header("x-request-id", f"req-{len(self.server.calls)}")
        if step.retry_after:
            self.send_header("Retry-After", step.retry_after)
        if step.location:
            self.send_header("Location", step.location)
        if step.echo_headers:
            self.send_header("x-echo", self.headers.get("Authorization", ""))

    def _send(self, status: int, body: bytes, step: ScriptStep) -> None:
        self._head(step, status, "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if step.drip:
            for place in range(len(body)):
                self.wfile.write(body[place : place + 1])
                if self.server.ending.wait(step.drip):
                    break
        elif step.cut >= 0:
            self.wfile.write(body[: step.cut])
            self._hang_up()
        else:
            self.wfile.write(body)

    def _stream(self, asked: dict[str, Any], step: ScriptStep) -> None:
        self._head(step, 200, "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for number, chunk in enumerate(chunks(asked, step, text_of(asked, step))):
            if number == step.cut:
                if step.stream_error:
                    self._event(json.dumps({"error": {"message": "Scripted failure.", "code": 500}}))
                self._hang_up()
                return
            if number == step.stall:
                self.server.wait(LONGEST_LIFE)
            self._event(json.dumps(chunk))
            self.server.wait(step.pause)
        if step.done:
            self._event("[DONE]")

    def _event(self, data: str) -> None:
        self.wfile.write(f"data: {data}\n\n".encode())
        self.wfile.flush()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
