from django.urls import include, path

from parts.preregistration import views

app_name = "preregistration"

routes = [
    path("", views.plans, name="plans"),
    path("<int:number>.<slug:ending>", views.plan_file, name="plan_file"),
]
urlpatterns = [path("studies/<slug:slug>/preregistration/", include(routes))]
