from django.urls import include, path

from parts.checks import views

app_name = "checks"

routes = [
    path("checks/", views.check_settings, name="check_settings"),
    path("rater-notices/<int:pk>/answer/", views.answer_notice, name="answer_notice"),
]
urlpatterns = [path("studies/<slug:slug>/", include(routes))]
