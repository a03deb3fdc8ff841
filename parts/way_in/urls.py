from django.urls import include, path

from parts.way_in.views import own_pages, pilot_views, researchers, step_pages

app_name = "way_in"

routes = [
    path("way-in/", step_pages.way_in, name="way_in"),
    path("way-in/task/", step_pages.practice, name="practice"),
    path("way-in/task/draft/", step_pages.practice_draft, name="practice_draft"),
    path("way-in/task/<int:number>/", step_pages.why, name="why"),
    path("consent/", own_pages.my_consent, name="my_consent"),
    path("leave/", own_pages.leave_study, name="leave"),
    path("steps/", researchers.steps, name="steps"),
    path("steps/add/<slug:kind>/", researchers.add_step, name="add_step"),
    path("steps/again/", researchers.requalify, name="requalify"),
    path("steps/edit/<path:key>/", researchers.edit_step, name="edit_step"),
    path("funnel/", pilot_views.funnel, name="funnel"),
    path("funnel/<int:pk>/", pilot_views.decision, name="decision"),
    path("background/", researchers.background, name="background"),
    path("background/background.json", researchers.background_file, name="background_file"),
]
urlpatterns = [
    path("studies/<slug:slug>/", include(routes)),
]
