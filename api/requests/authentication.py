"""Authentication of API callers: with a token, or, for reading only, with a browser session."""

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.models import Person
from annotation.access import open_token
from annotation.members.tokens import note_use
from annotation.models import Token
from api.access import Caller

SCHEME = "bearer"
REFUSED = (
    "This token is not valid: it is mistyped, expired or revoked, or the person who created it no longer runs the "
    "study. Create a new one on the study's Tokens page."
)


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`, checked for each request, so a revoked token stops working at once."""

    def authenticate(self, request: Request) -> tuple[Person, Token] | None:
        scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
        if scheme.lower() != SCHEME:
            return None
        token = open_token(secret.strip())
        if token is None:
            raise AuthenticationFailed(REFUSED)
        note_use(token)
        return token.made_by, token

    def authenticate_header(self, request: HttpRequest) -> str:
        return 'Bearer realm="api"'


class SessionReading(SessionAuthentication):
    """A signed-in person. Requests that change something fail here without a CSRF token, and later with one."""


def caller_of(request: Request) -> Caller:
    """The authenticated caller of a request."""
    return Caller(request.user, request.auth)
