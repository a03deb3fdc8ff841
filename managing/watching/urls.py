from django.urls import URLPattern, path

from managing.watching import views

urlpatterns: list[URLPattern] = [
    path("progress/", views.progress, name="progress"),
    path("disagreement/", views.disagreement, name="disagreement"),
    path("disagreement/files/<slug:key>.<slug:ending>", views.disagreement_file, name="disagreement_file"),
]
