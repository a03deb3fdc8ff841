"""Counts what a process does for monitoring, if METRICS_TOKEN is set; `config.monitoring` shows the sums.

Each process writes to a file of its own in `VAR/metrics/<host>`, which costs microseconds.
"""

import os
import socket
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string

LIBRARYS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that tells Prometheus' client, when it is loaded, where to write."""
INSTRUMENTS = "config.instruments.Instruments"


@cache
def instruments() -> Any:
    """Return the instruments of this process, whose files are then in `counts_folder`."""
    folder = counts_folder() / socket.gethostname()
    folder.mkdir(parents=True, exist_ok=True)
    os.environ[LIBRARYS_FOLDER] = str(folder)
    return import_string(INSTRUMENTS)()


def counts_folder() -> Path:
    """Return the folder with a folder per host."""
    return Path(settings.VAR) / "metrics"


def count(name: str, amount: float = 1, **labels: str) -> None:
    """Add to one of the counters of `config.instruments`.

    Nothing is counted, and the library is not loaded, without METRICS_TOKEN.
    """
    if settings.METRICS_TOKEN:
        counter = instruments().counters[name]
        (counter.labels(**labels) if labels else counter).inc(amount)


class CountingMiddleware:
    """Count and time requests by the part of the site that answered, and the status. Left out without METRICS_TOKEN."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.METRICS_TOKEN:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        requests, began = instruments().requests, time.perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        part = (match.namespace or match.url_name or "other") if match else "none"
        requests.labels(part, str(response.status_code)).observe(time.perf_counter() - began)
        return response
