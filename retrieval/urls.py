from django.urls import include, path

from retrieval import views

app_name = "retrieval"

pages = [
    path("", views.papers, name="papers"),
    path("add/", views.add, name="add"),
    path("uploads/", views.uploads, name="uploads"),
    path("uploads/<int:pk>/stop/", views.stop_upload, name="stop_upload"),
    path("index/", views.build, name="build"),
    path("index/<int:pk>/stop/", views.stop_build, name="stop_build"),
    path("searches/", views.search, name="search"),
    path("searches/<int:pk>/", views.trial, name="trial"),
]
urlpatterns = [path("studies/<slug:slug>/papers/", include(pages))]
