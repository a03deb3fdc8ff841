from django.urls import include, path, re_path

from parts.dry_runs import views

app_name = "dry_runs"

routes = [
    path("dry-runs/", views.dry_runs, name="dry_runs"),
    re_path(
        r"^dry-runs/(?P<pk>[0-9]{1,18})/(?P<step>stop|continue|remove)/$", views.change_dry_run, name="change_dry_run"
    ),
]
urlpatterns = [path("studies/<slug:slug>/", include(routes))]
