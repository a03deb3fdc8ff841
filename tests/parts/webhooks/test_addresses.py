"""Which addresses webhooks may call, and that what is called is what was checked."""

import socket
import threading

import pytest
from django.core.exceptions import ImproperlyConfigured
from environs import Env

from parts.webhooks.allowed_addresses import (
    AddressRefusedError,
    HostUnknownError,
    Target,
    is_public,
    resolve,
    target_of,
)
from parts.webhooks.environment import read
from parts.webhooks.sending import NoResponseError, post

pytestmark = pytest.mark.quick
PUBLIC = "93.184.215.14"


@pytest.fixture
def hosts(settings):
    settings.WEBHOOK_HOSTS = ["hooks.example.org", "*.example.net", "api.example.org:8443", "http://10.0.0.5:9000",
                              "https://inside.example", "http://[fd00::1]:9000"]  # fmt: skip
    return settings


@pytest.mark.parametrize(
    ("address", "anywhere"),
    [
        ("https://hooks.example.org", False),
        ("https://HOOKS.example.org/a/b?c=d", False),
        ("https://a.b.example.net/", False),
        ("https://api.example.org:8443/x", False),
        ("http://10.0.0.5:9000/x", True),
        ("https://inside.example/", True),
        ("http://[fd00::1]:9000/", True),
    ],
)
def test_addresses_that_the_operator_allows(hosts, address, anywhere):
    assert target_of(address).anywhere is anywhere


@pytest.mark.parametrize(
    "address",
    [
        "http://hooks.example.org/",  # not over HTTPS
        "https://hooks.example.org:8443/",
        "https://example.net/",  # the pattern means its subdomains
        "https://evilexample.net/",
        "https://a.example.net.evil.org/",
        "https://hooks.example.org@evil.org/",
        "https://user:password@hooks.example.org/",
        "https://evil.org#hooks.example.org",
        "https://hooks.example.org./",
        "http://10.0.0.5/",
        "https://10.0.0.5:9000/",
        "http://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://127.1/",
        "file:///etc/passwd",
        "gopher://hooks.example.org/",
        "//hooks.example.org/",
        "https:///x",
        "https://hooks.example.org:99999/",
        "https://hooks.example.org/\r\nX-Injected: 1",
        "https://hooks.example.org/ü",
        "https://hooks.example.org/" + "a" * 500,
        "",
    ],
)
def test_all_other_addresses_are_refused(hosts, address):
    with pytest.raises(AddressRefusedError):
        target_of(address)


def test_without_the_setting_there_are_no_webhooks(settings):
    assert settings.WEBHOOK_HOSTS == []
    with pytest.raises(AddressRefusedError, match="WEBHOOK_HOSTS"):
        target_of("https://hooks.example.org/")


@pytest.mark.parametrize("given", ["https://", "a b", "*example.org", "ftp://a", "http://*.example.org", "a/b", "a:0"])
def test_a_setting_that_cannot_be_read_stops_the_start(monkeypatch, given):
    monkeypatch.setenv("WEBHOOK_HOSTS", f"hooks.example.org, {given}")
    with pytest.raises(ImproperlyConfigured, match="WEBHOOK_HOSTS"):
        read(Env(), "production")


def test_the_setting_is_a_list(monkeypatch):
    monkeypatch.setenv("WEBHOOK_HOSTS", "Hooks.example.org, *.example.net,*,http://10.0.0.5:9000")
    assert read(Env(), "production")["WEBHOOK_HOSTS"] == [
        "hooks.example.org",
        "*.example.net",
        "*",
        "http://10.0.0.5:9000",
    ]


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
     "255.255.255.255", "::1", "::", "fe80::1%eth0", "fd00::1", "::ffff:127.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1",
     "::127.0.0.1",
     "64:ff9b::a9fe:a9fe", "ff02::1"],
)  # fmt: skip
def test_private_addresses_are_known(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", [PUBLIC, "2606:2800:21f::1", "::ffff:93.184.215.14", "64:ff9b::5db8:d70e"])
def test_public_addresses_are_known(address):
    assert is_public(address)


def resolving(monkeypatch, *addresses):
    asked = []

    def found(host, port, **_):
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", found)
    return asked


def test_a_public_name_that_resolves_into_a_private_network_is_refused(hosts, monkeypatch):
    target = target_of("https://hooks.example.org/")
    resolving(monkeypatch, PUBLIC, "127.0.0.1")
    with pytest.raises(AddressRefusedError, match="private"):
        resolve(target)
    resolving(monkeypatch, PUBLIC)
    assert resolve(target) == [PUBLIC]


def test_a_name_is_resolved_once_and_the_checked_address_is_called(hosts, monkeypatch):
    """A name server that answers differently the second time (rebinding) gains nothing."""
    asked, called = resolving(monkeypatch, PUBLIC), []

    def connect(address, timeout):
        called.append(address)
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(NoResponseError, match="refused"):
        post(target_of("https://hooks.example.org/"), {}, b"{}")
    assert asked == ["hooks.example.org"]
    assert called == [(PUBLIC, 443)]


def test_an_unknown_host_is_no_response(hosts, monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(HostUnknownError):
        resolve(target_of("https://hooks.example.org/"))
    with pytest.raises(NoResponseError):
        post(target_of("https://hooks.example.org/"), {}, b"{}")


class TestServer:
    """Servers that answer oddly. Each accepts one connection and does what the test says."""

    @pytest.fixture
    def serve(self):
        threads, listeners = [], []

        def start(reply, keep_open=None):
            listener = socket.create_server(("127.0.0.1", 0))
            listeners.append(listener)

            def run():
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    try:
                        for part in reply:
                            connection.sendall(part)
                        if keep_open is not None:
                            keep_open.wait(20)
                    except OSError:
                        pass

            thread = threading.Thread(target=run, daemon=True)
            thread.start()
            threads.append(thread)
            return Target("http", "127.0.0.1", listener.getsockname()[1], "/", anywhere=True)

        yield start
        for listener in listeners:
            listener.close()
        for thread in threads:
            thread.join(20)

    def test_a_status_is_read_without_the_body(self, serve):
        assert post(serve([b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", b"x" * 10]), {}, b"{}").accepted

    def test_responses_before_the_final_one_are_skipped(self, serve):
        head = b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 503 Busy\r\nRetry-After: 7\r\n\r\n"
        found = post(serve([head]), {}, b"{}")
        assert (found.status, found.retry_after) == (503, 7)

    @pytest.mark.parametrize(
        ("reply", "reason"),
        [([b"SSH-2.0-x\r\n\r\n"], "not HTTP"), ([b""], "without a response"), ([b"HTTP/1.1 200 OK\r\n"], "without"),
         ([b"HTTP/1.1 200 OK\r\n", *[b"X: " + b"y" * 4000 + b"\r\n"] * 20], "too large")],
    )  # fmt: skip
    def test_what_is_not_a_response_is_refused(self, serve, reply, reason):
        with pytest.raises(NoResponseError, match=reason):
            post(serve(reply), {}, b"{}")

    def test_a_server_that_never_ends_its_headers_is_left(self, serve):
        over = threading.Event()
        try:
            with pytest.raises(NoResponseError, match="within"):
                post(serve([b"HTTP/1.1 200 OK\r\n"], over), {}, b"{}", seconds=0.3)
        finally:
            over.set()
