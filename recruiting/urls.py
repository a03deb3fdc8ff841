from django.urls import include, path

from recruiting.checks import exclusion_views, settings_views
from recruiting.routing import routing_views
from recruiting.views import own_pages, researchers, way_in

app_name = "recruiting"

routes = [
    path("way-in/", way_in.way_in, name="way_in"),
    path("way-in/task/", way_in.practice, name="practice"),
    path("way-in/task/<int:number>/", way_in.why, name="why"),
    path("topics/", routing_views.own_topics, name="own_topics"),
    path("routing/", routing_views.routing, name="routing"),
    path("consent/", own_pages.my_consent, name="my_consent"),
    path("leave/", own_pages.leave_study, name="leave"),
    path("steps/", researchers.steps, name="steps"),
    path("steps/add/<slug:kind>/", researchers.add_step, name="add_step"),
    path("steps/again/", researchers.requalify, name="requalify"),
    path("steps/edit/<path:key>/", researchers.edit_step, name="edit_step"),
    path("checks/", settings_views.check_settings, name="check_settings"),
    path("funnel/", researchers.funnel, name="funnel"),
    path("funnel/<int:pk>/", researchers.decision, name="decision"),
    path("background/", researchers.background, name="background"),
    path("background/background.json", researchers.background_file, name="background_file"),
    path("raters/<int:pk>/exclude/", exclusion_views.exclude, name="exclude"),
    path("raters/<int:pk>/include/", exclusion_views.include, name="include"),
    path("rater-notices/<int:pk>/answer/", exclusion_views.answer_notice, name="answer_notice"),
    path("my-standing/", exclusion_views.my_standing, name="my_standing"),
]
urlpatterns = [
    path("my-data/", own_pages.my_data, name="my_data"),
    path("my-data/my-data.json", own_pages.my_data_file, name="my_data_file"),
    path("studies/<slug:slug>/", include(routes)),
]
