"""The site of the admin, under our name."""

from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.sites import AdminSite


class InterraterAdminConfig(SimpleAdminConfig):
    """Without discovery: `config.urls` loads what the admin registers, and commands do not need it."""

    default_site = "config.admin_site.InterraterAdmin"


class InterraterAdmin(AdminSite):
    site_header = site_title = "Interrater"
