"""Readers of files that somebody else has made, such as PDF, XML, archives and Parquet, run in workers and commands.

A few kilobytes of such a file can take a minute and a gigabyte to read. In a worker that delays other work; in a web
process, which has a few threads, four of them would take the site away. So these readers refuse to run in a request.
"""

from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")
IN_REQUEST: ContextVar[bool] = ContextVar("in_request", default=False)
"""Whether this thread answers a request; `config.middleware.RequestMiddleware` says so."""


class ReadInRequestError(RuntimeError):
    """A file was to be read by a request; queue it for a worker instead."""


def outside_of_requests(reader: Callable[Given, Result]) -> Callable[Given, Result]:
    """Have a reader of files raise ReadInRequestError if a request calls it."""

    @wraps(reader)
    def read(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        if IN_REQUEST.get():
            raise ReadInRequestError(f"{reader.__module__}.{reader.__qualname__} was called by a request")
        return reader(*args, **kwargs)

    return read
