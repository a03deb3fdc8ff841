from django.urls import path

from sessions.views import welcome, writing

app_name = "revision_sessions"

urlpatterns = [
    path("studies/<slug:slug>/sessions/welcome/", welcome.welcome, name="welcome"),
    path("sessions/<uuid:key>/", writing.session, name="session"),
    path("sessions/<uuid:key>/writing/", writing.writing, name="writing"),
    path("sessions/<uuid:key>/step/", writing.step, name="step"),
]
