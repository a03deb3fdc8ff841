"""A web server whose worker tells how many requests it has in hand, with an application that can be held up."""

import os
import time
from pathlib import Path

import django

from config.buffering_worker import BufferingWorker

django.setup()
FOLDER = Path(os.environ["TOLD"])
"""Each worker writes how many requests it has in hand into a file of its process id. `go-on` ends all waiting."""


class TellingWorker(BufferingWorker):
    """Tells in each round of its loop."""

    def wait_for_and_dispatch_events(self, timeout):
        super().wait_for_and_dispatch_events(timeout)
        written = FOLDER / f"{os.getpid()}.new"
        written.write_text(str(self.in_hand))
        written.replace(FOLDER / str(os.getpid()))


def application(environ, start_response):
    """Answers with the process id; `/hold` only when it may go on."""
    while environ["PATH_INFO"] == "/hold" and not (FOLDER / "go-on").exists():
        time.sleep(0.01)
    body = str(os.getpid()).encode()
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]
