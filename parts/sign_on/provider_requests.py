"""Requests to the provider, with limits on time and size: for its addresses, keys and tokens, and about a person.

Redirects are not followed. Addresses and keys are kept for an hour in the memory of the process.
"""

import base64
import json
import time
from http.client import HTTPException
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

from django.core.cache import cache

from parts.sign_on.environment import OidcProvider, is_safe_address

SECONDS = 8.0
"""How long one request may take."""
LARGEST = 1_000_000
KEPT = 3600
ENDPOINTS = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class ProviderAwayError(Exception):
    """The provider does not answer as it should; the message says how, without secrets."""


class ProviderRefusesError(Exception):
    """The provider refuses a code; the message is its own word for why."""


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def addresses_of(provider: OidcProvider) -> dict[str, Any]:
    """The provider's description of itself. Raises ProviderAwayError."""
    key = f"oidc:{provider.server}"
    known: dict[str, Any] | None = cache.get(key)
    if known is None:
        known = _asked(Request(f"{provider.server}/.well-known/openid-configuration"))  # noqa: S310 - https
        if str(known.get("issuer", "")).rstrip("/") != provider.server:
            raise ProviderAwayError("its description is of another issuer")
        for name in ENDPOINTS:
            if not is_safe_address(str(known.get(name, ""))):
                raise ProviderAwayError(f"its {name} is no address of HTTPS")
        cache.set(key, known, KEPT)
    return known


def keys_of(provider: OidcProvider, *, fresh: bool = False) -> dict[str, Any]:
    """The keys with which the provider signs; `fresh` reads them again. Raises ProviderAwayError."""
    key = f"oidc-keys:{provider.server}"
    known: dict[str, Any] | None = None if fresh else cache.get(key)
    if known is None:
        known = _asked(Request(addresses_of(provider)["jwks_uri"]))  # noqa: S310 - checked
        cache.set(key, known, KEPT)
    return known


def exchange(provider: OidcProvider, code: str, verifier: str, back: str) -> dict[str, Any]:
    """Change a code into tokens. Raises ProviderAwayError and ProviderRefusesError."""
    there = addresses_of(provider)
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": back, "code_verifier": verifier}
    headers = {"Accept": "application/json"}
    if "client_secret_basic" in there.get("token_endpoint_auth_methods_supported", ["client_secret_basic"]):
        both = f"{quote(provider.client_id, safe='')}:{quote(provider.client_secret, safe='')}"
        headers["Authorization"] = f"Basic {base64.b64encode(both.encode()).decode()}"
    else:
        form |= {"client_id": provider.client_id, "client_secret": provider.client_secret}
    return _asked(Request(there["token_endpoint"], urlencode(form).encode(), headers))  # noqa: S310 - checked


def told_of_person(provider: OidcProvider, access_token: str) -> dict[str, Any]:
    """What the provider says of the person whose token it is, if it has an address for that. Raises both errors."""
    address = str(addresses_of(provider).get("userinfo_endpoint", ""))
    if not access_token or not is_safe_address(address):
        return {}
    return _asked(Request(address, headers={"Authorization": f"Bearer {access_token}"}))  # noqa: S310 - checked


def _asked(request: Request) -> dict[str, Any]:
    """The JSON object that answers a request."""
    ends = time.monotonic() + SECONDS
    try:
        with build_opener(_NoRedirects).open(request, timeout=SECONDS) as response:
            answer = json.loads(_read(response, ends))
    except HTTPError as problem:
        with problem:
            if problem.code in (400, 401, 403):
                raise ProviderRefusesError(f"status {problem.code}") from None
            raise ProviderAwayError(f"it answers with status {problem.code}") from None
    except (URLError, HTTPException, OSError, ValueError) as problem:
        raise ProviderAwayError(f"{type(problem).__name__}") from problem
    if not isinstance(answer, dict):
        raise ProviderAwayError("its answer is no object")
    return answer


def _read(response: IO[bytes], ends: float) -> bytes:
    read = b""
    while part := response.read1(65536):  # type: ignore[attr-defined]
        read += part
        if len(read) > LARGEST or time.monotonic() > ends:
            raise TimeoutError
    return read
