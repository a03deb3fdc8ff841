"""How programs show who they are: a token in each request, or, to look only, a session in the browser."""

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.models import Person
from annotation.access import open_token
from annotation.models import Token
from annotation.tokens import note_use
from reports.access import Caller

SCHEME = "bearer"
REFUSED = (
    "This token opens nothing: it is mistyped, expired or revoked, or whoever made it no longer runs its study. "
    "Make a new one on the study's page of tokens."
)


class TokenAuthentication(BaseAuthentication):
    """`Authorization: Bearer <token>`. Asked anew for each request, so that what is revoked is out at once."""

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
    """Somebody signed in. Whatever changes something is refused here without the form's token, and later with it."""


def caller_of(request: Request) -> Caller:
    """Who asks; only behind the permission that somebody does."""
    return Caller(request.user, request.auth)
