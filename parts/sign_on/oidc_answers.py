"""Signing in by a provider, in two requests: to the provider with a state and a nonce, and back with a code.

State, nonce and the verifier of the code (PKCE) are in the browser's session and are forgotten with the first answer,
so that no answer works twice, or in another browser.
"""

import base64
import hashlib
import logging
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.http import urlencode
from django.utils.translation import gettext, gettext_noop

from accounts import signing_in
from accounts.next_address import after_entering, next_address
from accounts.secret_tokens import new_token
from config.database_clock import database_now
from parts.sign_on.environment import OidcProvider
from parts.sign_on.id_tokens import TokenRefusedError, checked_claims
from parts.sign_on.outside_accounts import account_of
from parts.sign_on.provider_requests import (
    ProviderAwayError,
    ProviderRefusesError,
    addresses_of,
    exchange,
    told_of_person,
)

logger = logging.getLogger(__name__)
WAITING = "oidc"
"""Key of a session's data: what an answer of the provider must have in it."""
ANSWER_WITHIN = 600
SCOPE = "openid email profile"
LATE = gettext_noop("The sign-in took too long, or its answer was opened twice. Start again.")
DENIED = gettext_noop("%(name)s did not sign you in. Start again, or sign in with a password.")
UNPROVEN = gettext_noop("The answer of %(name)s could not be verified. Start again, or tell the operator of this site.")
AWAY = gettext_noop("%(name)s does not answer. Try again in a minute, or sign in with a password.")
INACTIVE = gettext_noop("Your account on this site has been deactivated.")


class NotSignedInError(Exception):
    """Nobody is signed in; the message is one of the sentences above. `status` is that of the page."""

    def __init__(self, sentence: str, status: int = 403) -> None:
        super().__init__(sentence)
        self.sentence, self.status = sentence, status


def begin(request: HttpRequest) -> HttpResponse:
    """Send the browser to the provider."""
    if request.user.is_authenticated:
        return HttpResponseRedirect(next_address(request))
    provider = _provider()
    state, nonce, verifier = new_token(), new_token(), new_token()
    try:
        there = addresses_of(provider)["authorization_endpoint"]
    except (ProviderAwayError, ProviderRefusesError) as problem:
        logger.warning("The OIDC provider does not answer: %s", problem)
        return _refused(request, NotSignedInError(AWAY, 503))
    request.session[WAITING] = {
        "state": state, "nonce": nonce, "verifier": verifier, "next": next_address(request),
        "at": database_now().timestamp(),
    }  # fmt: skip
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    asked = urlencode({
        "response_type": "code", "client_id": provider.client_id, "redirect_uri": _back(request), "scope": SCOPE,
        "state": state, "nonce": nonce, "code_challenge": challenge, "code_challenge_method": "S256",
    })  # fmt: skip
    return redirect(f"{there}{'&' if '?' in there else '?'}{asked}")


def finish(request: HttpRequest) -> HttpResponse:
    """Sign in by the provider's answer, or ask for the code of a second factor."""
    waiting = request.session.pop(WAITING, None)
    try:
        claims = _claims(request, waiting or {})
        person = account_of(_provider(), claims)
        if not person.may_sign_in:
            raise NotSignedInError(INACTIVE)
    except NotSignedInError as problem:
        return _refused(request, problem)
    signing_in.enter(request, person, "oidc")
    return after_entering(request, waiting["next"])


def _claims(request: HttpRequest, waiting: dict[str, Any]) -> dict[str, Any]:
    """What the provider states of the person who comes back. Raises NotSignedInError."""
    provider, given = _provider(), request.GET
    is_late = database_now().timestamp() - waiting.get("at", 0) > ANSWER_WITHIN
    if is_late or not constant_time_compare(given.get("state", ""), waiting["state"]):
        raise NotSignedInError(LATE)
    if not given.get("code"):
        raise NotSignedInError(DENIED)
    try:
        if given.get("iss", addresses_of(provider)["issuer"]) != addresses_of(provider)["issuer"]:
            raise TokenRefusedError("iss of the answer")
        tokens = exchange(provider, given["code"], waiting["verifier"], _back(request))
        claims = checked_claims(provider, str(tokens.get("id_token", "")), waiting["nonce"])
        return claims if "email" in claims else _with_address(provider, claims, str(tokens.get("access_token", "")))
    except (TokenRefusedError, ProviderRefusesError) as problem:
        logger.warning("An answer of the OIDC provider was refused: %s", problem)
        raise NotSignedInError(UNPROVEN) from problem
    except ProviderAwayError as problem:
        logger.warning("The OIDC provider does not answer: %s", problem)
        raise NotSignedInError(AWAY, 503) from problem


def _with_address(provider: OidcProvider, claims: dict[str, Any], access_token: str) -> dict[str, Any]:
    """The claims, and what else the provider tells of the same person when it is asked with their token."""
    told = told_of_person(provider, access_token)
    return {**told, **claims} if told.get("sub") == claims["sub"] else claims


def _back(request: HttpRequest) -> str:
    return request.build_absolute_uri(reverse("sign_on:return"))


def _provider() -> OidcProvider:
    if settings.OIDC is None:
        raise Http404
    return settings.OIDC


def _refused(request: HttpRequest, problem: NotSignedInError) -> HttpResponse:
    sentence = gettext(problem.sentence) % {"name": _provider().name}
    return render(request, "sign_on/refused.html", {"sentence": sentence}, status=problem.status)
