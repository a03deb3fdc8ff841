from django.urls import include, path

from parts.crowds import entry_views, pages

app_name = "crowds"

routes = [
    path("enter/", entry_views.enter_by_recruiter, name="enter"),
    path("join/", entry_views.enter_by_public_link, name="join"),
    path("finish/", entry_views.finish, name="finish"),
    path("outcome/", entry_views.outcome, name="outcome"),
    path("submissions/", pages.submissions, name="submissions"),
    path("submissions/<str:name>", pages.submissions_file, name="submissions_file"),
    path("entry-links/", pages.entry_links, name="entry_links"),
]
urlpatterns = [path("studies/<slug:slug>/", include(routes))]
