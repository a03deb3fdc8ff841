"""Figures for monitoring in the format of Prometheus, at `/metrics`, if METRICS_TOKEN is set."""

from hmac import compare_digest

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe

FIGURES = "config.collected_figures.collected_figures"
"""By name: only those who set METRICS_TOKEN need Prometheus' library."""
CONTENT_TYPE = "text/plain; version=1.0.0; charset=utf-8"


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the figures to a caller with METRICS_TOKEN; without that setting there is no such page."""
    given, token = request.headers.get("Authorization", ""), settings.METRICS_TOKEN
    if not token or not compare_digest(given.encode(), f"Bearer {token}".encode()):
        raise Http404
    return HttpResponse(import_string(FIGURES)(), content_type=CONTENT_TYPE)
