"""Sessions in the admin: their places are released as on the page of their item; what was written is read-only."""

from django.contrib import admin

from accounts.models import Person
from annotation.access import RESEARCHERS
from annotation.models import Slot
from annotation.studies.slot_steps import free_slot
from managing.administration.confirmed_actions import ConfirmedAction, Given, in_roles
from managing.administration.slot_admin import FreeingForm
from managing.administration.steered_admin import SteeredAdmin
from sessions.models import RevisionSession


def _release(session: RevisionSession, person: Person, given: Given) -> bool:
    held = Slot.objects.select_related("item").filter(task=session.task_id, holder=session.rater_id)
    slot = held.filter(state=Slot.State.HELD).first()
    if slot is not None:
        free_slot(slot, given["reason"], person)
    return slot is not None


@admin.register(RevisionSession)
class RevisionSessionAdmin(SteeredAdmin):
    steps = (
        ConfirmedAction(
            "free", "Release", "Opens the sessions' places to others. What was written is kept.",
            in_roles("study", RESEARCHERS), _release, form=FreeingForm,
            suits=lambda session: session.status == RevisionSession.Status.ACTIVE and not session.imported,
        ),
    )  # fmt: skip
    is_large = True
    search_help_text = "Finds exactly this session key, item id or rater."
    list_display = ["key", "item", "rater", "model", "status", "started_at", "ended_at"]
    list_filter = ["status", "imported"]
    plain_filters = ("status", "imported")
    search_fields = ["key", "item__key", "rater__name"]
    list_select_related = ["item", "rater"]
    ordering = ["-pk"]
