"""Connections that keep an eye on the clock: what cannot be cut into slices is short."""

import pytest

from llm.client import ask, watching
from llm.client.watching import Watch, WatchedStream, watched
from llm.endpoints import Model, endpoints
from llm.errors import UnreachableError
from tests.llm.calls import asked, write_endpoints


class Written:
    """A connection that notes for how long it may write."""

    def __init__(self):
        self.patience = []

    def write(self, buffer, timeout):
        self.patience.append(timeout)


def test_check_44_no_piece_of_a_long_request_is_waited_for_longer_than_a_lease_allows():
    inner = Written()
    with watched(Watch(600, None)):
        WatchedStream(inner).write(b"x" * (2 * watching.PIECE + 1), timeout=300)
    assert inner.patience == [watching.LONGEST_WRITE] * 3


def test_a_host_that_can_be_none_is_not_reached(settings, tmp_path):
    path = write_endpoints(settings, tmp_path, more="attempts: 1")
    path.write_text(path.read_text().replace("127.0.0.1:9", "a..b"))
    with pytest.raises(UnreachableError):
        ask(endpoints()["campus"], Model("small", "small-1"), asked())
