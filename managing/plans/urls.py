from django.urls import URLPattern, path

from managing.plans import balance_page, views

urlpatterns: list[URLPattern] = [
    path("plan/", views.plan, name="plan"),
    path("balance/", balance_page.balance, name="balance"),
    path("balance/files/<slug:key>.<slug:ending>", balance_page.balance_file, name="balance_file"),
]
