from django.urls import URLPattern, path

from managing.plans import views

urlpatterns: list[URLPattern] = [path("plan/", views.plan, name="plan")]
