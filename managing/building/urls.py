from django.urls import URLPattern, path

from managing.building import deleting_views, making_views, views

site_patterns: list[URLPattern] = [
    path("studies/new/", making_views.new_study, name="new_study"),
    path("studies/new/<slug:key>/", making_views.from_template, name="from_template"),
    path("deletions/<int:pk>/", deleting_views.deletion, name="deletion"),
]
urlpatterns: list[URLPattern] = [
    path("duplicate/", making_views.duplicate, name="duplicate"),
    path("copying/", making_views.copying, name="copying"),
    path("delete/", deleting_views.delete_study, name="delete_study"),
    path("build/", views.build, name="build"),
    path("build/preview/", views.build_preview, name="build_preview"),
]
