from django.urls import path

from parts.other_tools import views

app_name = "other_tools"

urlpatterns = [path("studies/<slug:slug>/upload/<int:pk>/decide/", views.decide, name="decide")]
