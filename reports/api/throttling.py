"""How often a program may ask."""

from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle


class PerCaller(SimpleRateThrottle):
    """Counted for each token, and for each person who looks by session."""

    scope = "api"

    def get_cache_key(self, request: Request, view: Any) -> str:
        who = f"person-{request.user.pk}" if request.auth is None else f"token-{request.auth.pk}"
        return str(self.cache_format % {"scope": self.scope, "ident": who})
