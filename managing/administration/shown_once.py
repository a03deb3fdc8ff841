"""The page of the admin that shows links and secrets once, because only their hashes are kept."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse


def show_once(model_admin: Any, request: HttpRequest, title: str, secrets: list[tuple[str, str]]) -> HttpResponse:
    """Show `secrets`: what each is, and its text."""
    meta = model_admin.opts
    context = {
        **model_admin.admin_site.each_context(request),
        "title": title,
        "opts": meta,
        "secrets": secrets,
        "back": reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist"),
    }
    return TemplateResponse(request, "admin/shown_once.html", context)
