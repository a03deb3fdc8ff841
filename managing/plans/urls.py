from django.urls import URLPattern, path

from managing.plans import balance, views

urlpatterns: list[URLPattern] = [
    path("plan/", views.plan, name="plan"),
    path("balance/", balance.balance, name="balance"),
]
