from django.urls import path

from parts.second_stage import views

app_name = "second_stage"

urlpatterns = [
    path("studies/<slug:slug>/final-answers/", views.second_stage, name="second_stage"),
    path("studies/<slug:slug>/second-stage/", views.stage_setting, name="stage_setting"),
]
