from django.urls import URLPattern, path

from managing.watching import views

urlpatterns: list[URLPattern] = [
    path("progress/", views.progress, name="progress"),
    path("disagreement/", views.disagreement, name="disagreement"),
]
