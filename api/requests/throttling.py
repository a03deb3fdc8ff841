"""The rate limit of the API."""

from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle


class PerCaller(SimpleRateThrottle):
    """Counts requests per token, and per person for sessions."""

    scope = "api"

    def get_cache_key(self, request: Request, view: Any) -> str:
        who = f"person-{request.user.pk}" if request.auth is None else f"token-{request.auth.pk}"
        return str(self.cache_format % {"scope": self.scope, "ident": who})
