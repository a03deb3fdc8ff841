from django.urls import URLPattern, path, re_path

from managing.dry_runs import views

urlpatterns: list[URLPattern] = [
    path("dry-runs/", views.dry_runs, name="dry_runs"),
    re_path(
        r"^dry-runs/(?P<pk>[0-9]{1,18})/(?P<step>stop|continue|remove)/$", views.change_dry_run, name="change_dry_run"
    ),
]
