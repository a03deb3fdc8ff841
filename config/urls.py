"""All addresses. The admin uses the site's own sign-in and sign-out, so that the audit has all of them."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from accounts import views as accounts
from config.monitoring import metrics
from config.parts import parts
from config.readiness import healthz, readyz
from config.task_addresses import ShortWay

admin.autodiscover()

annotators = path("", include("annotation.urls"))
urlpatterns: list[URLPattern | URLResolver] = [
    ShortWay("work/", annotators),
    path("admin/login/", accounts.admin_sign_in, name="admin_sign_in"),
    path("admin/logout/", accounts.sign_out, name="admin_sign_out"),
    path("admin/password_change/", accounts.change_password, name="admin_change_password"),
    path("admin/", admin.site.urls),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("", include("accounts.urls")),
    path("api/", include("api.urls")),
    path("", include("managing.urls")),
    path("", include("reports.urls")),
    path("", include("sessions.urls")),
    path("", include("judges.urls")),
    path("", include("llm.urls")),
    path("", include("retrieval.urls")),
    *(path("", include(part.urls)) for part in parts() if part.urls),
    annotators,
]
handler400 = "config.error_pages.bad_request"
handler403 = "config.error_pages.permission_denied"
handler404 = "config.error_pages.page_not_found"
handler500 = "config.error_pages.server_error"
