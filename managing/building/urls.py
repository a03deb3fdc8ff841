from django.urls import URLPattern, path

from managing.building import views

site_patterns: list[URLPattern] = []
urlpatterns: list[URLPattern] = [
    path("build/", views.build, name="build"),
    path("build/preview/", views.build_preview, name="build_preview"),
]
