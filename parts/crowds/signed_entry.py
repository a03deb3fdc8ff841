"""What a link from a recruiter says of a person, and whether the recruiter has signed it."""

import hmac
from collections.abc import Mapping
from typing import Any

import jwt
from django.http import QueryDict
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_noop

from annotation.models import Study
from parts.crowds.recruiter_settings import GIVEN_ID, PARTS, PROLIFIC_TOKEN, Recruiter

LONGEST_TOKEN = 4000
ALGORITHM = "RS256"
INCOMPLETE = gettext_noop("This link is not complete. Open it again from the page of the recruiter.")
UNSIGNED = gettext_noop("This link has no valid signature. Open it again from the page of the recruiter.")
ELSEWHERE = gettext_noop("This link belongs to another study of the recruiter.")


class LinkRefusedError(Exception):
    """The link does not say who comes, or is not signed as the study asks; the message is a sentence."""


def signing_key(study: Study, recruiter: Recruiter) -> str:
    """Return the key with which a recruiter signs links into this study. It is not stored, and in no file."""
    number = recruiter.body["signature"].get("number", 1)
    return salted_hmac("crowds.signature", f"{study.pk} {number}", algorithm="sha256").hexdigest()


def signature_of(key: str, ids: Mapping[str, str]) -> str:
    """Return the signature of these ids: HMAC-SHA256 over participant, study and session, a line each."""
    text = "\n".join(ids.get(part, "") for part in PARTS)
    return hmac.new(key.encode(), text.encode(), "sha256").hexdigest()


def ids_in(study: Study, recruiter: Recruiter, given: QueryDict) -> dict[str, str]:
    """Return who comes by a link with these parameters, by the names in PARTS. Raises LinkRefusedError."""
    names = recruiter.parameters
    found = {part: _text(given, name) for part, name in names.items()}
    if "token" in recruiter.body:
        found = _signed_by_token(recruiter, given, found)
    if not all(GIVEN_ID.fullmatch(value) for value in found.values()):
        raise LinkRefusedError(INCOMPLETE)
    if "signature" in recruiter.body:
        signature = given.get(recruiter.body["signature"]["parameter"], "")
        right = signature_of(signing_key(study, recruiter), found)
        if not hmac.compare_digest(signature.encode(), right.encode()):
            raise LinkRefusedError(UNSIGNED)
    wanted = recruiter.body.get("study_ids")
    if wanted and found.get("study") not in wanted:
        raise LinkRefusedError(ELSEWHERE)
    return found


def _text(given: QueryDict, name: str) -> str:
    value = given.get(name, "")
    return value if isinstance(value, str) else ""


def carried(recruiter: Recruiter, given: QueryDict) -> dict[str, str]:
    """Return the parameters of a link that its form sends again."""
    names = [*recruiter.parameters.values(), _token_parameter(recruiter)]
    if "signature" in recruiter.body:
        names.append(recruiter.body["signature"]["parameter"])
    return {name: _text(given, name) for name in names if name in given}


def _token_parameter(recruiter: Recruiter) -> str:
    return str(recruiter.body.get("token", {}).get("parameter", PROLIFIC_TOKEN))


def _signed_by_token(recruiter: Recruiter, given: QueryDict, plain: Mapping[str, str]) -> dict[str, str]:
    """Return the ids that a signed token names; those that the link also has in plain must be the same."""
    claims = _claims(recruiter, given.get(_token_parameter(recruiter), ""))
    payload = claims.get("prolific")
    if not isinstance(payload, dict):
        raise LinkRefusedError(UNSIGNED)
    found: dict[str, str] = {}
    for part, name in recruiter.parameters.items():
        value = payload.get(name)
        if not isinstance(value, str):
            raise LinkRefusedError(INCOMPLETE)
        if plain[part] and plain[part] != value:
            raise LinkRefusedError(UNSIGNED)
        found[part] = value
    return found


def _claims(recruiter: Recruiter, token: str) -> Mapping[str, Any]:
    """Return what a token says whose signature, time and audience are right."""
    settings = recruiter.body["token"]
    if not token or len(token) > LONGEST_TOKEN:
        raise LinkRefusedError(UNSIGNED)
    try:
        wanted = jwt.get_unverified_header(token).get("kid")
        key = next((one for one in settings["keys"] if one["kid"] == wanted), None)
        if key is None:
            raise LinkRefusedError(UNSIGNED)
        found: Mapping[str, Any] = jwt.decode(
            token, jwt.PyJWK({**key, "alg": ALGORITHM}).key, algorithms=[ALGORITHM], audience=settings["audience"],
            options={"require": ["exp", "aud"]},
        )  # fmt: skip
    except jwt.PyJWTError:
        raise LinkRefusedError(UNSIGNED) from None
    return found
