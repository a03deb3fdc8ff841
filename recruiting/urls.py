from django.urls import path

from recruiting.checks import exclusion_views

app_name = "recruiting"

study = "studies/<slug:slug>/"
urlpatterns = [
    path(f"{study}raters/<int:pk>/exclude/", exclusion_views.exclude, name="exclude"),
    path(f"{study}raters/<int:pk>/include/", exclusion_views.include, name="include"),
    path(f"{study}rater-notices/<int:pk>/answer/", exclusion_views.answer_notice, name="answer_notice"),
    path(f"{study}my-standing/", exclusion_views.my_standing, name="my_standing"),
]
