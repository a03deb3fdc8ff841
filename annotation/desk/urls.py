"""Addresses of the rater's desk; `annotation.urls` takes them in."""

from django.urls import path

from annotation.views import desk, end

urlpatterns = [
    path("studies/<slug:slug>/next/", desk.next_task, name="next_task"),
    path("studies/<slug:slug>/end/", end.end, name="end"),
    path("work/<uuid:key>/", desk.desk, name="desk"),
    path("work/<uuid:key>/submit/", desk.submit_task, name="submit_task"),
    path("work/<uuid:key>/skip/", desk.skip_task, name="skip_task"),
    path("work/<uuid:key>/flag/", desk.flag_task, name="flag_task"),
    path("work/<uuid:key>/undo/", desk.undo_task, name="undo_task"),
    path("work/<uuid:key>/draft/", desk.save_draft, name="save_draft"),
    path("work/<uuid:key>/pulse/", desk.pulse, name="pulse"),
]
