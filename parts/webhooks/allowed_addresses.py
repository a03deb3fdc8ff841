"""Which addresses webhooks may call: those that the operator allows, over HTTPS, outside of private networks.

The setting WEBHOOK_HOSTS lists them. `hooks.example.org` allows this host and `*.example.org` its subdomains, both over
HTTPS and only if they resolve to public addresses. An entry with a scheme, such as `http://10.0.0.5:9000`, allows
exactly this scheme, host and port, wherever it resolves to.
"""

import ipaddress
import re
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

PORTS = {"https": 443, "http": 80}
HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
WRITTEN = re.compile(r"[!-~]{1,500}")
TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""IPv6 addresses that gateways translate to the IPv4 address in their last 32 bits."""
NO_ADDRESS = "Enter an address such as https://hooks.example.org/interrater, without a user name, password or fragment."
NOT_ALLOWED = "This installation does not allow webhooks to {}. Ask its operator to add the host to WEBHOOK_HOSTS."
PRIVATE = "The host is in a private network, which this installation does not allow."
UNKNOWN_HOST = "The host name cannot be resolved."


class AddressRefusedError(Exception):
    """Nothing may be sent to the address; the message says why."""


class HostUnknownError(Exception):
    """The host has no address now."""


@dataclass(frozen=True)
class Target:
    """Where a request goes: a checked address, and whether it may be in a private network."""

    scheme: str
    host: str
    port: int
    path: str
    anywhere: bool

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def target_of(address: str) -> Target:
    """Read an address and check that the operator allows it. Raises AddressRefusedError."""
    if not WRITTEN.fullmatch(address):
        raise AddressRefusedError(NO_ADDRESS)
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise AddressRefusedError(NO_ADDRESS) from None
    host = (parts.hostname or "").lower()
    if parts.scheme not in PORTS or "@" in parts.netloc or "#" in address or not _is_host(host) or port == 0:
        raise AddressRefusedError(NO_ADDRESS)
    port = port or PORTS[parts.scheme]
    allowed = _allowed(parts.scheme, host, port)
    if allowed is None:
        raise AddressRefusedError(NOT_ALLOWED.format(f"{parts.scheme}://{parts.netloc}"))
    return Target(parts.scheme, host, port, _path(parts), allowed)


def _path(parts: SplitResult) -> str:
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _is_host(host: str) -> bool:
    if ":" in host:
        try:
            return bool(ipaddress.IPv6Address(host))
        except ValueError:
            return False
    return HOST.fullmatch(host) is not None


def _allowed(scheme: str, host: str, port: int) -> bool | None:
    """Whether the address is allowed anywhere (True), in public networks (False), or not at all (None)."""
    found: bool | None = None
    for pattern in settings.WEBHOOK_HOSTS:
        given, _, rest = pattern.rpartition("://")
        parts = urlsplit(f"//{rest}")
        wanted, its_port = parts.hostname or "", parts.port or PORTS[given or "https"]
        if (given or "https", its_port) != (scheme, port):
            continue
        if given and wanted == host:
            return True
        if not given and (wanted in ("*", host) or (wanted.startswith("*.") and host.endswith(wanted[1:]))):
            found = False
    return found


def resolve(target: Target) -> list[str]:
    """The IP addresses of the target. Raises HostUnknownError, and AddressRefusedError if one of them is private.

    The request is sent to one of these, so a name that resolves to something else a moment later changes nothing.
    """
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as problem:
        raise HostUnknownError(UNKNOWN_HOST) from problem
    addresses = list(dict.fromkeys(str(one[4][0]) for one in found))
    if not target.anywhere and not all(map(is_public, addresses)):
        raise AddressRefusedError(PRIVATE)
    return addresses


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet, also if it contains another one."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo and found.teredo[1])
        if found in TRANSLATED:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner:
            return is_public(str(inner))
    # Python also calls groups of hosts global (224.0.1.1), and IPv6 addresses that nobody has been given yet (4000::1).
    return found.is_global and not (found.is_multicast or found.is_reserved)
