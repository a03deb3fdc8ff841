from django.urls import path

from reports import views

app_name = "reports"
urlpatterns = [
    path("studies/<slug:slug>/report/", views.report, name="report"),
    path("studies/<slug:slug>/report/glance/", views.glance, name="glance"),
    path("statistics/", views.statistics, name="statistics"),
]
