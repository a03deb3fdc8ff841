"""How session tasks reach raters: one session per question, a page of its own, and second ratings of single turns."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.urls import reverse

from annotation.blinding import is_blind
from annotation.models import Assignment, Item, Question, Rater, Slot, Study
from annotation.protocols import TaskFlow
from annotation.task_flow import BegunTask, DoneElsewhere
from config.database_clock import database_now
from config.parts import parts_of
from llm.call_errors import CallError
from llm.dry_run_calls import makes_up_for
from llm.endpoints import find_model
from retrieval.index_builds import ensure_index
from sessions.assignment_order import ranking
from sessions.models import RevisionSession, Turn
from sessions.pages.second_rating_page import second_rating_page
from sessions.pages.session_overview import rows_of
from sessions.pages.session_preview import TEMPLATE as PREVIEW_TEMPLATE
from sessions.pages.session_preview import session_preview
from sessions.steps import mark_abandoned, start_session
from sessions.study_options import options_of
from sessions.turn_variants import PREFIX

ENDED = (RevisionSession.Status.SATISFIED, RevisionSession.Status.MAX_TURNS)

MADE_UP = (
    "A model of this study makes up answers in dry runs, and the study is no dry run. It cannot go live with this"
    " model: name another one."
)


class SessionFlow(TaskFlow):
    """A task is a session with one model, or the second rating of one turn."""

    common_options = frozenset({"seed", "lease_minutes", "skip_reasons", "plan", "blind_researchers"})
    lease_minutes = 7 * 24 * 60
    longest_lease = 60 * 24 * 60
    offers_every_task = False
    ranks_tasks = True
    has_own_pages = True
    study_pages = (("Sessions", "revision_sessions:sessions"),)

    def needs_slots(self, variant: str) -> bool:
        return not variant.startswith(PREFIX)

    def done_elsewhere(self, tasks: Collection[int]) -> list[DoneElsewhere] | None:
        """Imported sessions that have ended; turns are rated on tasks of their own, like any answers."""
        ended = RevisionSession.objects.filter(task__in=tasks, imported=True, status__in=ENDED)
        rows = ended.order_by("pk").values_list("task", "item", "rater", "rater__name")
        return [DoneElsewhere(*row, []) for row in rows]

    def on_prepared(self, study: Study) -> None:
        ensure_index(study)

    def import_warnings(self, study: Study) -> list[str]:
        made_up = any(makes_up_for(model, study) for model in options_of(study).models)
        return [MADE_UP] * made_up + self._missing_models(study)

    def _missing_models(self, study: Study) -> list[str]:
        if is_blind(study):
            missing = not all(map(_is_configured, options_of(study).models))
            return ["A model of this study is not configured on this site. It cannot go live without it."] * missing
        return [
            f"No model called {model} is configured on this site. The study cannot go live without it."
            for model in options_of(study).models
            if not _is_configured(model)
        ]

    def welcome_url(self, rater: Rater) -> str | None:
        """Return the page that explains sessions and asks for topics, until the rater has seen it."""
        return reverse("revision_sessions:welcome", args=[rater.study.slug]) if rater.topics is None else None

    def offered(self, slots: QuerySet[Slot], rater: Rater) -> QuerySet[Slot]:
        """Leave out questions that the rater has had, however that session ended, and turns of their own sessions.

        Who may be given only so many tasks gets sessions, and no second ratings.
        """
        more = self.most_more(rater)
        if more is not None:
            slots = slots.exclude(task__variant__startswith=PREFIX) if more > 0 else slots.none()
        met = Assignment.objects.filter(rater=rater, task__item=OuterRef("item"))
        own = Turn.objects.filter(task=OuterRef("task"), session__rater=rater)
        of_turns = Q(task__variant__startswith=PREFIX)
        return slots.filter(of_turns & ~Exists(own) | ~of_turns & ~Exists(met))

    def count_tasks(self, slots: QuerySet[Slot]) -> int:
        """Allow one session per question, and one second rating per turn."""
        rows = slots.order_by().values_list("task", "item", "task__variant").distinct()
        return len({task if variant.startswith(PREFIX) else ("question", item) for task, item, variant in rows})

    def most_more(self, rater: Rater) -> int | None:
        steps = parts_of(rater.study).steps
        most = None if steps is None else steps.most_given(rater)
        return None if most is None else max(0, most - self.given_to(rater))

    def given_to(self, rater: Rater) -> int:
        """Count sessions, however they ended, and places that a researcher reserved for the rater."""
        begun = RevisionSession.objects.filter(rater=rater, imported=False).values("task")
        reserved = Slot.objects.filter(holder=rater, state=Slot.State.HELD).exclude(task__variant__startswith=PREFIX)
        return begun.count() + reserved.exclude(task__in=begun).count()

    def preferred_order(self, slots: QuerySet[Slot], rater: Rater) -> list[int] | None:
        return ranking(slots, rater)

    def on_assigned(self, assignment: Assignment) -> None:
        if not assignment.task.variant.startswith(PREFIX):
            start_session(assignment, assignment.task.variant, database_now())

    def on_released(self, slots: Sequence[Slot]) -> None:
        for slot in slots:
            if slot.holder_id is not None:
                mark_abandoned(slot.holder_id, slot.task_id, database_now())

    def titles(self, items: Collection[int]) -> dict[int, str]:
        """Return the questions of the items."""
        rows = Item.objects.filter(pk__in=items).values_list("pk", "content")
        return {pk: content["question"] for pk, content in rows if content}

    def begun_by(self, raters: Collection[int]) -> dict[int, list[BegunTask]]:
        """Return sessions with their states and turns."""
        sessions = RevisionSession.objects.filter(rater__in=raters, imported=False).select_related("item", "study")
        rows, found = rows_of(list(sessions.order_by("pk"))), defaultdict(list)
        for row in rows:
            session, ended = row.session, f"{row.session.get_status_display()}, {len(row.ratings)} rated turn"
            address = reverse("revision_sessions:overview", args=[session.study.slug, session.pk])
            title = (session.item.content or {}).get("question", session.key)
            state = ended if len(row.ratings) == 1 else f"{ended}s"
            found[session.rater_id].append(BegunTask(title, state, address))
        return dict(found)

    def own_page(self, assignment: Assignment) -> str | None:
        """Return the session's page, also for tasks of turns that its own user rates."""
        key = _session_key(assignment)
        return None if key is None else reverse("revision_sessions:session", args=[key])

    def preview(self, study: Study, item: Item, questions: Sequence[Question]) -> tuple[str, dict[str, Any]]:
        return PREVIEW_TEMPLATE, session_preview(study, item, questions)

    def read_texts(self, study: Study) -> QuerySet[Turn]:
        """Return the answers of the turns, which their own users and second raters read."""
        return _rateable(study).annotate(read_task=F("task"), read_text=F("answer"))

    def read_ahead(self, study: Study) -> dict[tuple[int, int], float]:
        """Return how long answers were written before the eyes of the sessions' own users."""
        rows = _rateable(study).order_by().values_list("task", "session__rater", "started_at", "ended_at")
        return {
            (task, rater): max(0.0, (end - start).total_seconds())
            for task, rater, start, end in rows.iterator()
            if task is not None and start is not None and end is not None
        }

    def page_context(self, assignment: Assignment) -> dict[str, Any]:
        return {"turn": second_rating_page(assignment)}


def _rateable(study: Study) -> QuerySet[Turn]:
    return Turn.objects.filter(session__study=study, task__isnull=False, discarded=False, answer__isnull=False)


def _session_key(assignment: Assignment) -> UUID | None:
    """Return the key of the assignment that the session's page belongs to, or None for another rater's turn."""
    if not assignment.task.variant.startswith(PREFIX):
        return assignment.key
    own = RevisionSession.objects.filter(turns__task=assignment.task_id, rater=assignment.rater_id).first()
    if own is None:
        return None
    return Assignment.objects.values_list("key", flat=True).get(rater=own.rater_id, task=own.task_id)


def _is_configured(model: str) -> bool:
    try:
        find_model(model)
    except CallError:
        return False
    return True
