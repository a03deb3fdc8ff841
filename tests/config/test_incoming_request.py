"""Where a request ends, read from its bytes in any pieces."""

import pytest

from config.incoming_request import IN_MEMORY, LARGEST_HEAD, IncomingRequest

pytestmark = pytest.mark.quick
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde"


@pytest.fixture
def incoming():
    """A function that makes a request of which these pieces have arrived."""
    made = []

    def make(*pieces, largest=100, now=0.0):
        request = IncomingRequest(largest, now)
        made.append(request)
        for piece in pieces:
            request.feed(piece)
        return request

    yield make
    for request in made:
        request.close()


def content(request):
    request.content.seek(0)
    return request.content.read()


@pytest.mark.parametrize("whole", [GET, POST, POST.replace(b"Content-Length: 5", b"content-length:5 ")])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_request_is_complete_with_its_last_byte_however_it_is_cut(incoming, whole, size):
    request = incoming()
    for place in range(0, len(whole), size):
        assert not request.is_complete
        request.feed(whole[place : place + size])
    assert request.is_complete
    assert not request.refused
    assert not request.has_more
    assert content(request) == whole


def test_bytes_after_the_end_are_not_part_of_the_request(incoming):
    request = incoming(POST + GET)
    assert request.is_complete
    assert request.has_more
    assert content(request) == POST
    assert incoming(GET + b"x").has_more


@pytest.mark.parametrize(
    "field",
    [
        b"Content-Length: 101", b"Content-Length: " + b"9" * 5000, b"Content-Length: -1", b"Content-Length: +5",
        b"Content-Length: 5, 5", b"Content-Length: 5\r\nContent-Length: 5", b"Content-Length:",
        b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked\r\nContent-Length: 5", b"TRANSFER-ENCODING: gzip",
    ],
)  # fmt: skip
def test_a_body_that_is_too_large_or_of_unknown_length_is_not_read(incoming, field):
    request = incoming(b"POST / HTTP/1.1\r\n" + field + b"\r\n\r\n", b"body" * 1000)
    assert request.is_complete
    assert request.refused
    assert content(request).endswith(b"\r\n\r\n")


def test_a_head_without_an_end_is_refused_at_its_limit(incoming):
    request = incoming(b"GET / HTTP/1.1\r\n")
    line = b"X: " + b"y" * 1000 + b"\r\n"
    for _ in range(LARGEST_HEAD // len(line)):
        request.feed(line)
    assert not request.is_complete
    request.feed(line)
    assert request.refused


def test_a_client_that_asks_whether_to_send_gets_continue_unless_it_is_refused(incoming):
    head = b"POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: "
    assert incoming().feed(head + b"5\r\n\r\n")
    assert not incoming().feed(head + b"0\r\n\r\n")
    assert not incoming().feed(head + b"5\r\n\r\nabcde")
    assert not incoming().feed(head + b"500\r\n\r\n")
    assert not incoming().feed(POST[:-1])


def test_a_large_body_goes_to_a_file(incoming):
    size = 2 * IN_MEMORY
    request = incoming(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % size, b"a" * size, largest=size)
    assert request.is_complete
    assert request.content._rolled


def test_the_deadline_moves_with_received_bytes_and_not_with_time(incoming):
    request = incoming(largest=10**6, now=100.0)
    assert request.deadline(30, 1000) == 130
    request.feed(b"POST / HTTP/1.1\r\nContent-Length: 9000\r\n\r\n")
    head = request.received
    request.feed(b"a" * 5000)
    assert request.deadline(30, 1000) == 130 + (head + 5000) / 1000
