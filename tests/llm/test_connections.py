"""Waits of connections that cannot be cut into slices are short."""

import pytest

from llm.call_errors import UnreachableError
from llm.client import ask, connections
from llm.client.connections import BoundedStream, CallDeadline, bounded_by
from llm.endpoints import Model, endpoints
from tests.llm.calls import asked, write_endpoints


class Written:
    """A connection that records the timeouts of its writes."""

    def __init__(self):
        self.patience = []

    def write(self, buffer, timeout):
        self.patience.append(timeout)


def test_every_write_of_a_long_request_is_shorter_than_a_lease():
    inner = Written()
    with bounded_by(CallDeadline(600, None)):
        BoundedStream(inner).write(b"x" * (2 * connections.WRITTEN_AT_ONCE + 1), timeout=300)
    assert inner.patience == [connections.LONGEST_WRITE] * 3


def test_an_impossible_host_name_is_unreachable(settings, tmp_path):
    path = write_endpoints(settings, tmp_path, more="attempts: 1")
    path.write_text(path.read_text().replace("127.0.0.1:9", "a..b"))
    with pytest.raises(UnreachableError):
        ask(endpoints()["campus"], Model("small", "small-1"), asked())
