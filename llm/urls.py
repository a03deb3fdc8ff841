from django.urls import include, path

from llm import views

app_name = "llm"

pages = [
    path("", views.models, name="models"),
    path("stop/", views.stop, name="stop"),
    path("resume/", views.resume, name="resume"),
    path("limits/", views.set_limit, name="set_limit"),
    path("tries/", views.try_model, name="try_model"),
    path("tries/<int:pk>/", views.tried, name="try"),
    path("tries/<int:pk>/stop/", views.stop_try, name="stop_try"),
    path("calls/", views.calls, name="calls"),
    path("calls/<int:pk>/", views.call, name="call"),
    path("prompts/", views.prompts, name="prompts"),
    path("prompts/<slug:app>/<slug:name>/", views.prompt, name="prompt"),
]
urlpatterns = [path("studies/<slug:slug>/models/", include(pages))]
