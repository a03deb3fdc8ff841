"""The address that a request comes from, as far as it can be trusted."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

HOUSEHOLD = 64
"""An IPv6 customer has a network of this prefix length, and may use any address in it."""


def client_address(request: HttpRequest) -> str:
    """Return the client's address: a whole IPv4 address, or the /64 network of an IPv6 address.

    Each of our `PROXY_COUNT` proxies appends the address that it saw to `X-Forwarded-For`. Only those last entries
    are believed. The client sent the entries before them. Without proxies the header is ignored.
    """
    direct = request.META.get("REMOTE_ADDR", "")
    if settings.PROXY_COUNT:
        entries = request.headers.get("X-Forwarded-For", "").split(",")
        return _network(entries[-settings.PROXY_COUNT :][0]) or _network(direct)
    return _network(direct)


def _network(text: str) -> str:
    """The address in `text` in its one form; empty if there is none."""
    try:
        found: IPv4Address | IPv6Address = ip_address(text.strip().strip("[]"))
    except ValueError:
        return ""
    if isinstance(found, IPv6Address):
        found = found.ipv4_mapped or found
    if isinstance(found, IPv6Address):
        return str(ip_network((int(found), HOUSEHOLD), strict=False))
    return str(found)
