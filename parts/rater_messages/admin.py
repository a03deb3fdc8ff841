"""Admin of messages and pauses, read-only, for the people who run the study. No text is shown in lists."""

from django.contrib import admin

from annotation.admin import StudyScopedAdmin
from parts.rater_messages.models import MessageThread, RaterMessage


@admin.register(MessageThread)
class MessageThreadAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    list_display = ["id", "rater", "task", "waiting_since"]
    list_select_related = ["rater", "task__item"]
    ordering = ["-pk"]


@admin.register(RaterMessage)
class RaterMessageAdmin(StudyScopedAdmin):
    study_path = "thread__rater__study"
    list_display = ["id", "thread", "from_rater", "at", "seen_at"]
    list_select_related = ["thread"]
    ordering = ["-pk"]
