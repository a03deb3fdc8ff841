from django.urls import include, path

from parts.webhooks import views

app_name = "webhooks"

routes = [
    path("", views.webhooks, name="webhooks"),
    path("<int:pk>/", views.webhook, name="webhook"),
    path("<int:pk>/test/", views.test, name="test"),
    path("<int:pk>/disable/", views.disable, name="disable"),
    path("<int:pk>/enable/", views.enable, name="enable"),
    path("<int:pk>/remove/", views.remove, name="remove"),
    path("deliveries/<int:pk>/send/", views.send, name="send"),
]
urlpatterns = [path("studies/<slug:slug>/webhooks/", include(routes))]
