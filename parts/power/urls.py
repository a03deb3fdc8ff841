from django.urls import path

from parts.power import views

app_name = "power"
urlpatterns = [path("studies/<slug:slug>/power/", views.power, name="power")]
