from django.urls import include, path

from llm import views

app_name = "llm"

pages = [
    path("", views.models, name="models"),
    path("stop/", views.stop, name="stop"),
    path("resume/", views.resume, name="resume"),
    path("limits/", views.set_limit, name="set_limit"),
    path("trials/", views.try_model, name="try_model"),
    path("trials/<int:pk>/", views.trial, name="trial"),
    path("trials/<int:pk>/stop/", views.stop_trial, name="stop_trial"),
    path("calls/", views.calls, name="calls"),
    path("calls/<int:pk>/", views.call, name="call"),
    path("prompts/", views.prompts, name="prompts"),
    path("prompts/<slug:app>/<slug:name>/", views.prompt, name="prompt"),
]
urlpatterns = [path("studies/<slug:slug>/models/", include(pages))]
