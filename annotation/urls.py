from django.urls import include, path

from annotation.desk import urls as desk_urls
from annotation.views import (
    attention,
    guidelines,
    home,
    invitations,
    my_work,
    people,
    reviews,
    spot_checks,
    studies,
    tokens,
    worker_status,
)

app_name = "annotation"

study = [
    path("", studies.study, name="study"),
    path("live/", studies.make_live, name="make_live"),
    path("live/progress/", studies.preparation, name="preparation"),
    path("pause/", studies.pause, name="pause"),
    path("close/", studies.close, name="close"),
    path("reopen/", studies.reopen, name="reopen"),
    path("settings/", studies.settings, name="settings"),
    path("attention/", attention.attention, name="attention"),
    path("attention/flags/<int:pk>/", attention.answer_flag, name="answer_flag"),
    path("attention/comments/", attention.read_comments, name="read_comments"),
    path("review/", reviews.review, name="review"),
    path("review/release/", reviews.release_batch, name="release_batch"),
    path("review/spans/", reviews.span_queue, name="span_queue"),
    path("review/checks/", spot_checks.spot_checks, name="spot_checks"),
    path("notes/", spot_checks.notes, name="notes"),
    path("people/", people.people, name="people"),
    path("people/<int:pk>/remove/", people.remove, name="remove_member"),
    path("people/<int:pk>/restore/", people.restore, name="restore_member"),
    path("people/<int:pk>/role/", people.change_role, name="change_role"),
    path("invitations/", invitations.invitations, name="invitations"),
    path("invitations/<int:pk>/revoke/", invitations.revoke, name="revoke_invitation"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", tokens.revoke, name="revoke_token"),
    path("guidelines/", guidelines.guidelines, name="guidelines"),
    path("guidelines/edit/", guidelines.edit_guidelines, name="edit_guidelines"),
    path("begin/", my_work.begin, name="begin"),
    path("my-answers/", my_work.my_answers, name="my_answers"),
    path("my-answers/flags/", attention.read_flag_answers, name="read_flag_answers"),
]
urlpatterns = [
    path("", home.home, name="home"),
    path("invitation/<str:token>/", invitations.invitation, name="invitation"),
    path("my-day/", my_work.my_day, name="my_day"),
    path("workers/", worker_status.workers, name="workers"),
    path("studies/<slug:slug>/", include(study)),
    *desk_urls.urlpatterns,
]
