"""The type of requests in views that answer htmx with a fragment. `request.htmx` is false for other clients."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class HtmxRequest(HttpRequest):
    htmx: HtmxDetails
