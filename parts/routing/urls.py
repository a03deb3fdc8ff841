from django.urls import include, path

from parts.routing import views

app_name = "routing"

routes = [
    path("topics/", views.own_topics, name="own_topics"),
    path("routing/", views.routing, name="routing"),
]
urlpatterns = [path("studies/<slug:slug>/", include(routes))]
