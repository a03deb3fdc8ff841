"""All addresses. The admin's own ways in and out are ours, so that none goes by the audit."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from accounts import views as accounts

admin.site.site_header = admin.site.site_title = "Interrater"

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/login/", accounts.admin_sign_in, name="admin_sign_in"),
    path("admin/logout/", accounts.sign_out, name="admin_sign_out"),
    path("admin/password_change/", accounts.change_password, name="admin_change_password"),
    path("admin/", admin.site.urls),
    path("", include("accounts.urls")),
    path("api/", include("reports.api.urls")),
    path("", include("reports.urls")),
    path("", include("sessions.urls")),
    path("", include("llm.urls")),
    path("", include("retrieval.urls")),
    path("", include("annotation.urls")),
]
handler400 = "config.errors.bad_request"
handler403 = "config.errors.permission_denied"
handler404 = "config.errors.page_not_found"
handler500 = "config.errors.server_error"
