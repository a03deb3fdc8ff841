"""The admin, whose pages all list every model: the addresses of that list are made once per process.

Django makes them again for each page, some 180 of them, which took a third of an admin page's processor time.
"""

from functools import cache
from typing import Any

from django.apps import apps
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.sites import AdminSite
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.text import capfirst


class InterraterAdminConfig(SimpleAdminConfig):
    """Without discovery: `config.urls` loads what the admin registers, and commands do not need it."""

    default_site = "config.admin_site.InterraterAdmin"


class InterraterAdmin(AdminSite):
    site_header = site_title = "Interrater"

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """The apps by name, each with its models by name: what Django documents, for who asks."""
        found: dict[str, list[dict[str, Any]]] = {}
        for model, model_admin in self._registry.items():
            options = model._meta
            if app_label not in (None, options.app_label) or not model_admin.has_module_permission(request):
                continue
            perms = model_admin.get_model_perms(request)
            if not any(perms.values()):
                continue
            name, can_see = f"{options.app_label}_{options.model_name}", perms["change"] or perms["view"]
            found.setdefault(options.app_label, []).append(
                {
                    "model": model, "name": capfirst(options.verbose_name_plural), "object_name": options.object_name,
                    "perms": perms, "view_only": not perms["change"],
                    "admin_url": address_of(f"{name}_changelist") if can_see else None,
                    "add_url": address_of(f"{name}_add") if perms["add"] else None,
                }
            )  # fmt: skip
        listed = [
            {
                "name": apps.get_app_config(label).verbose_name, "app_label": label, "has_module_perms": True,
                "app_url": address_of("app_list", label), "models": sorted(models, key=lambda one: one["name"]),
            }
            for label, models in found.items()
        ]  # fmt: skip
        return sorted(listed, key=lambda app: app["name"].lower())


@cache
def address_of(name: str, *arguments: str) -> str | None:
    """The address of a page of the admin, the same for everybody; None if it has no such page."""
    try:
        return reverse(f"admin:{name}", args=arguments)
    except NoReverseMatch:
        return None
