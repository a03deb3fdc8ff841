"""ID tokens: what a provider states about a person, signed. Everything is checked; OpenID Connect Core, 3.1.3.7."""

from typing import Any

import jwt
from django.utils.crypto import constant_time_compare

from parts.sign_on.environment import OidcProvider
from parts.sign_on.provider_requests import addresses_of, keys_of

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures with a public key: neither none, nor one with the secret that this site also has."""
LEEWAY = 60
LONGEST_SUBJECT = 255


class TokenRefusedError(Exception):
    """An ID token is not one for this sign-in; the message says why, without what is in it."""


def checked_claims(provider: OidcProvider, token: str, nonce: str) -> dict[str, Any]:
    """Return what `token` states, if it is signed by the provider, for this site and for the sign-in with `nonce`.

    Raises TokenRefusedError and ProviderAwayError.
    """
    try:
        key = _key(provider, token)
        algorithms = [one for one in ALGORITHMS if one == key.algorithm_name]
        claims: dict[str, Any] = jwt.decode(
            token, key, algorithms=algorithms, audience=provider.client_id,
            issuer=addresses_of(provider)["issuer"], leeway=LEEWAY,
            options={"require": ["iss", "sub", "aud", "exp", "iat", "nonce"]},
        )  # fmt: skip
    except jwt.PyJWTError as problem:
        raise TokenRefusedError(type(problem).__name__) from problem
    subject, several = claims["sub"], isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    if not constant_time_compare(str(claims["nonce"]), nonce):
        raise TokenRefusedError("nonce")
    if claims.get("azp", None if several else provider.client_id) != provider.client_id:
        raise TokenRefusedError("azp")
    if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
        raise TokenRefusedError("sub")
    return claims


def _key(provider: OidcProvider, token: str) -> jwt.PyJWK:
    """The key that a token says it is signed with; the keys are read again if it is a new one."""
    wanted = jwt.get_unverified_header(token).get("kid")
    for fresh in (False, True):
        known = jwt.PyJWKSet.from_dict(keys_of(provider, fresh=fresh)).keys
        found = [key for key in known if key.key_id == wanted or (wanted is None and len(known) == 1)]
        if found:
            return found[0]
    raise TokenRefusedError("kid")
