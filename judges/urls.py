from django.urls import include, path

from judges import views

app_name = "judges"

pages = [
    path("", views.runs, name="runs"),
    path("new/", views.new_run, name="new_run"),
    path("runs/<int:pk>/", views.run, name="run"),
    path("runs/<int:pk>/stop/", views.stop, name="stop"),
    path("runs/<int:pk>/resume/", views.resume, name="resume"),
    path("runs/<int:pk>/replace/", views.replace, name="replace"),
    path("runs/<int:pk>/reread/", views.reread, name="reread"),
    path("runs/<int:pk>/again/", views.again, name="again"),
    path("judgments/<int:pk>/", views.judgment, name="judgment"),
    path("judgments/<int:pk>/disagreement/", views.disagreement, name="disagreement"),
]
urlpatterns = [path("studies/<slug:slug>/judges/", include(pages))]
