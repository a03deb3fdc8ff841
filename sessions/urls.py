from django.urls import path

from sessions.views import studying, welcome, writing

app_name = "revision_sessions"

urlpatterns = [
    path("studies/<slug:slug>/sessions/welcome/", welcome.welcome, name="welcome"),
    path("studies/<slug:slug>/sessions/", studying.sessions, name="sessions"),
    path("studies/<slug:slug>/sessions/sample/", studying.sample, name="sample"),
    path("studies/<slug:slug>/sessions/<int:pk>/", studying.studied, name="studied"),
    path("studies/<slug:slug>/sessions/<int:pk>/turns/<int:number>/label/", studying.label_turn, name="label_turn"),
    path("sessions/<uuid:key>/", writing.session, name="session"),
    path("sessions/<uuid:key>/writing/", writing.writing, name="writing"),
    path("sessions/<uuid:key>/step/", writing.step, name="step"),
]
