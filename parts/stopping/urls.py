from django.urls import include, path

from parts.stopping import views

app_name = "stopping"

routes = [
    path("", views.stop_rules, name="stop_rules"),
    path("continue/", views.continue_stopped, name="continue_stopped"),
    path("again/", views.repeat_look, name="repeat_look"),
]
urlpatterns = [path("studies/<slug:slug>/stop-rules/", include(routes))]
