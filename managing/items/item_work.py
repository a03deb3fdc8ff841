"""The work on one item: its tasks with their places for raters, drafts, skipped and flagged tasks, and sessions."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import OuterRef, QuerySet, Subquery

from annotation.blinding import names_of
from annotation.models import Annotation, Assignment, Item, Membership, Rater, Slot, Study, TaskOutput
from annotation.models.people import Role
from annotation.protocols import protocols
from annotation.studies.slot_steps import was_shared
from sessions.models import RevisionSession


@dataclass(frozen=True)
class TaskPlace:
    """A slot with the outputs that its task shows, and whether its holder has an unsent draft."""

    slot: Slot
    shows: str
    has_draft: bool


@dataclass(frozen=True)
class ItemWork:
    """What has been given out of an item, and what raters said instead of an answer."""

    places: list[TaskPlace]
    has_tasks: bool
    unanswered: list[Annotation]
    flagged: list[Assignment]
    sessions: list[RevisionSession]
    people: list[tuple[int, str]]
    """Who may get a place: the key of the membership, and the random name of the rater."""

    @classmethod
    def of(cls, study: Study, item: Item) -> "ItemWork":
        """Read the work on an item in at most seven queries."""
        slots = Slot.objects.filter(item=item).select_related("holder", "task").order_by("task", "number")
        shows: dict[int, list[str]] = defaultdict(list)
        names, models = names_of(study), study.options.get("models", ())
        for task, key in (
            TaskOutput.objects.filter(task__item=item).order_by("task", "position").values_list("task", "output__key")
        ):
            shows[task].append(names.shown(key))
        if names.are_codes:
            shows = defaultdict(list, {task: sorted(keys) for task, keys in shows.items()})
        given = list(
            Assignment.objects.filter(task__item=item).select_related("rater").defer("tool_use").order_by("pk")
        )
        drafts = {(one.task_id, one.rater_id) for one in given if one.draft}
        places = [
            TaskPlace(slot, " / ".join(shows[slot.task_id]) or names.known(slot.task.variant, models),
                      (slot.task_id, slot.holder_id) in drafts)
            for slot in slots
        ]  # fmt: skip
        others = Annotation.objects.filter(task__item=item, is_current=True).exclude(status="submitted")
        own_pages = protocols()[study.protocol].flow.has_own_pages
        sessions = RevisionSession.objects.filter(item=item).select_related("rater").order_by("pk") if own_pages else ()
        own_sessions = list(sessions)
        for one in own_sessions:
            one.model = names.shown(one.model)  # for the page; sessions are not saved
        open_places = any(place.slot.state != Slot.State.FILLED for place in places)
        members = Membership.objects.filter(study=study, role=Role.ANNOTATOR, active=True, person__is_active=True)
        return cls(
            places=places,
            has_tasks=bool(places) or was_shared(study, item),
            unanswered=list(others.select_related("rater").order_by("pk")),
            flagged=[one for one in given if one.flag],
            sessions=own_sessions,
            people=_by_random_name(study, members) if open_places else [],
        )


def _by_random_name(study: Study, members: QuerySet[Membership]) -> list[tuple[int, str]]:
    name = Rater.objects.filter(study=study, person=OuterRef("person")).values("name")
    found = [
        (pk, rater or f"annotator {pk}, without tasks")
        for pk, rater in members.order_by("pk").annotate(rater=Subquery(name[:1])).values_list("pk", "rater")
    ]
    return sorted(found, key=lambda one: one[1])
