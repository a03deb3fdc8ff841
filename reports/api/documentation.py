"""The API reference as a page."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import signed_in
from reports.api.schema import REASONS, described

LIMITS = ("UPLOAD_BYTES", "UPLOAD_ROWS", "LINE_LIMIT")


@require_safe
@signed_in
def docs(request: HttpRequest) -> HttpResponse:
    """All operations of the schema, with authentication, limits and errors."""
    operations = [
        {"method": method.upper(), "path": path, "id": about["operationId"], **about}
        for path, methods in described()["paths"].items()
        for method, about in methods.items()
    ]
    limits = {name.lower(): getattr(settings, name) for name in LIMITS}
    context = {
        "operations": operations,
        "limits": limits,
        "reasons": list(REASONS.items()),
        "site": request.build_absolute_uri("/"),
    }
    return render(request, "reports/api.html", context)
