from django.urls import include, path

from recruiting.views import own_pages, way_in

app_name = "recruiting"

routes = [
    path("way-in/", way_in.way_in, name="way_in"),
    path("way-in/task/", way_in.practice, name="practice"),
    path("way-in/task/<int:number>/", way_in.why, name="why"),
    path("consent/", own_pages.my_consent, name="my_consent"),
    path("leave/", own_pages.leave_study, name="leave"),
]
urlpatterns = [
    path("my-data/", own_pages.my_data, name="my_data"),
    path("my-data/my-data.json", own_pages.my_data_file, name="my_data_file"),
    path("studies/<slug:slug>/", include(routes)),
]
