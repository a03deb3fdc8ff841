from django.urls import include, path

from parts.preparing import views

app_name = "preparing"

routes = [
    path("", views.prepare, name="prepare"),
    path("documents/", views.draw, name="draw"),
    path("items/", views.place, name="place"),
    path("ask/<slug:kind>/", views.ask, name="ask"),
    path("trial/", views.trial, name="trial"),
    path("trials/<int:number>/rate/", views.rate, name="rate"),
    path("trials/<int:number>/winner/", views.choose, name="choose"),
    path("steps/<int:number>/", views.step, name="step"),
    path("steps/<int:number>/stop/", views.stop, name="stop"),
    path("steps/<int:number>/resume/", views.resume, name="resume"),
    path("texts/", views.suggestions, name="suggestions"),
    path("texts/write/", views.write, name="write"),
    path("texts/<int:pk>/", views.decision, name="decision"),
    path("outputs/", views.outputs, name="outputs"),
    path("outputs/<int:pk>/edit/", views.edit, name="edit"),
    path("outputs/<int:pk>/difference/", views.difference, name="difference"),
]
urlpatterns = [path("studies/<slug:slug>/prepare/", include(routes))]
