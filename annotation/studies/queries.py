"""Read-only data for the pages around the desk, in a few queries for a study of any size."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import (
    BigIntegerField,
    Exists,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce
from django.utils.translation import gettext

from accounts.models import Person
from annotation.access import ANNOTATORS
from annotation.desk.assigning import has_room, open_slots, planned_tasks, tasks_of
from annotation.desk.part_tasks import mixed_among
from annotation.models import (
    Adjudication,
    Annotation,
    Assignment,
    Batch,
    Guideline,
    Invitation,
    Membership,
    Rater,
    SeenItem,
    Slot,
    SpotCheck,
    Study,
    Token,
)
from annotation.models.people import Role
from annotation.protocols import protocols
from annotation.review.flags import unread_flag_answers
from annotation.studies.assignment_plan import OPTION
from annotation.studies.batches import EVERYWHERE, FIRST, last_places
from annotation.studies.counting import CountOf, MeanOf
from config.database_clock import database_now
from config.parts import parts_of
from config.prepared_sql import fetch_all, statement_of

MOST_COUNTED = 1000
ANYBODY = -1  # stands for a person's primary key in a statement that is kept
RATERS_ASKED, ANSWERS_ASKED = 20, 50
"""From how much a study's minutes per task are taken."""


@dataclass(frozen=True)
class MyWork:
    """A study as its annotator sees it: tasks answered, skipped and left (`more`: at least as many), and the next step.

    `state` is `soon`, `steps` (to pass before the next task), `work`, `between` (more with the next batch), `waiting`
    (others have the last tasks, of which one may become free), `stopped` (for this person, by a rule or a researcher),
    `done`, `paused` or `closed`. `notes` counts researchers' notes that must be read before the next task,
    `flag_answers` unread answers to the person's flags. `minutes` is what a task takes, if that is known. `read` and
    `newest` are versions of the guidelines: what the person confirmed having read, and the latest.
    """

    study: Study
    done: int
    left: int
    more: bool
    state: str
    notes: int = 0
    skipped: int = 0
    is_new: bool = False
    minutes: float | None = None
    read: int | None = None
    newest: int | None = None
    flag_answers: int = 0
    steps_left: bool = False
    """Whether the person has to pass steps before the next task."""
    is_stopped: bool = False
    """Whether the person gets no new tasks, though they may finish those they hold."""
    is_full: bool = False
    is_enough: bool = False
    """Whether the study's quotas leave the person nothing for now."""
    """Whether the study's plan lets the person do no more tasks than they have done."""

    @property
    def kind(self) -> str:
        """The kind of task, in words."""
        return gettext(protocols()[self.study.protocol].label)

    @property
    def must_read(self) -> bool:
        """Whether the guidelines come before the next task, because it is the first."""
        return self.is_new and self.newest is not None and self.read is None

    @property
    def has_changed_guidelines(self) -> bool:
        return self.newest is not None and self.read is not None and self.read < self.newest

    @property
    def total(self) -> int:
        return self.done + self.left


class _WorkRow(NamedTuple):
    """A row of `_works`; `last` is the greatest place that the study gives out now."""

    study: int
    person: int
    last: int
    done: int
    skipped: int
    held: int
    ahead: int
    later: bool
    others: bool
    notes: int
    flag_answers: int
    own_seconds: float | None
    seconds: float | None
    met: bool
    stopped: bool
    read: int | None
    newest: int | None
    admitted: bool | None


def work_of(person: Person) -> list[MyWork]:
    """Return the studies in which `person` annotates, those with tasks first, in two queries."""
    sql, params = _works_sql()
    rows = [_WorkRow(*row) for row in fetch_all(sql, [person.pk if one == ANYBODY else one for one in params])]
    studies = Study.objects.in_bulk([row.study for row in rows]) if rows else {}
    order = ("steps", "work", "between", "waiting", "stopped", "paused", "soon", "done", "closed")
    return sorted((_work(row, studies[row.study]) for row in rows), key=lambda work: order.index(work.state))


@lru_cache
def _works_sql() -> tuple[str, list[Any]]:
    """The statement of `_works` with ANYBODY for the person: to build it takes longer than all else on a home page."""
    return statement_of(_works(Person(pk=ANYBODY)))


def _works(person: Person) -> QuerySet[Membership, tuple[Any, ...]]:
    """The memberships in which `person` annotates, as the values of a _WorkRow."""
    mine = Slot.objects.filter(task=OuterRef("task"), holder__person=person)
    answered = Annotation.objects.filter(rater__person=person, is_current=True, status__in=Annotation.ANSWERED)
    seen = SeenItem.objects.filter(item=OuterRef("item"), rater__person=person)
    own_names = Rater.objects.filter(person=person, study=OuterRef("by__study")).values("name")
    decided = Adjudication.objects.filter(item=OuterRef("item"), by__name__in=own_names)
    reached = Slot.objects.filter(~Exists(seen), ~Exists(decided), study=OuterRef("study"), place__gte=FIRST)
    open_slots = reached.filter(~Exists(mine), state=Slot.State.OPEN)
    open_slots = open_slots.exclude(Exists(answered.filter(task=OuterRef("task"))))
    of_study = answered.filter(rater__study=OuterRef("study"))
    all_held = reached.filter(state=Slot.State.HELD)
    held = Slot.objects.filter(
        holder__person=person, holder__study=OuterRef("study"), state=Slot.State.HELD, place__gte=FIRST
    )
    others = all_held.filter(~Q(holder__person=person), ~Exists(mine), ~Exists(answered.filter(task=OuterRef("task"))))
    last = Subquery(last_places(Batch.objects.filter(study=OuterRef("study"))))
    notes = unread_notes(person).filter(annotation__rater__study=OuterRef("study"))
    flag_answers = unread_flag_answers(person).filter(rater__study=OuterRef("study"))
    mine_there = Rater.objects.filter(study=OuterRef("study"), person=person)
    people = Rater.objects.filter(study=OuterRef(OuterRef("study")), kind=Rater.Kind.HUMAN)
    some_raters = people.order_by("pk").values("pk")[:RATERS_ASKED]
    return (
        Membership.objects.filter(person=person, active=True, role__in=ANNOTATORS, study__archived_at__isnull=True)
        .annotate(last=Coalesce(last, Value(EVERYWHERE), output_field=BigIntegerField()))
        .annotate(
            done=CountOf(of_study.filter(status="submitted").values("pk")),
            skipped=CountOf(of_study.filter(status="skipped").values("pk")),
            held=CountOf(held.values("pk")),
            # Counting stops at a thousand tasks, so that the page is as fast in a study of a million.
            ahead=CountOf(
                open_slots.filter(place__lte=OuterRef("last")).order_by().values("task").distinct()[: MOST_COUNTED + 1]
            ),
            later=Exists(open_slots.filter(place__gt=OuterRef("last"))),
            others=Exists(others),
            notes=CountOf(notes.values("pk")),
            flag_answers=CountOf(flag_answers.order_by().values("pk")),
            own_seconds=_mean_seconds(rater__person=person, rater__study=OuterRef("study")),
            seconds=_mean_seconds(rater__in=some_raters),
            met=Exists(Assignment.objects.filter(rater__person=person, rater__study=OuterRef("study"))),
            stopped=Exists(mine_there.filter(paused_at__isnull=False)),
            read=Subquery(mine_there.values("guidelines_read")),
            admitted=Subquery(mine_there.values("admitted")),
            newest=Subquery(Guideline.objects.filter(study=OuterRef("study")).order_by("-number").values("number")[:1]),
        )
        .order_by("pk")
        .values_list(*_WorkRow._fields)
    )


def work_in(person: Person, study: Study) -> MyWork | None:
    """Return the study as its annotator sees it, or None if `person` is not an annotator of it."""
    return next((work for work in work_of(person) if work.study == study), None)


def _mean_seconds(**which: Any) -> MeanOf:
    """The mean time that the page of an answer was visible, of a few answers, so that it is always fast."""
    answers = Annotation.objects.filter(**which, is_current=True, status="submitted", visible_seconds__isnull=False)
    return MeanOf(answers.order_by().values("visible_seconds")[:ANSWERS_ASKED])


def _work(row: _WorkRow, study: Study) -> MyWork:
    done, left, others = row.done, row.held + min(row.ahead, MOST_COUNTED), row.others
    seconds = row.own_seconds or row.seconds
    rater, flow = None, protocols()[study.protocol].flow
    is_asked = OPTION in study.options or bool(parts_of(study).mixing)
    search = parts_of(study).search
    is_asked = is_asked or search is not None
    if is_asked or not flow.offers_every_task:
        rater = Rater.objects.filter(study=study, person=row.person).first()
    is_enough = rater is not None and search is not None and search.is_ready(rater)
    if rater is not None and search is not None and is_enough:
        left = row.held + search.ahead(study, rater, MOST_COUNTED)[0]
        is_enough = left == 0 and not search.has_room(rater)
    elif rater is not None and flow.offers_every_task:
        left = planned_tasks(study, rater, row.held, left - row.held, MOST_COUNTED)
        left += _mixed_left(study, rater, left - row.held)
    elif rater is not None:
        done, left = tasks_of(study, rater)
        seconds = None  # the answers of turns say nothing about a session
        held = Slot.objects.filter(study=study, state=Slot.State.HELD, place__gte=FIRST).exclude(holder=rater)
        others = others and flow.offered(held, rater).exists()
    states = {Study.Status.DRAFT: "soon", Study.Status.PAUSED: "paused", Study.Status.CLOSED: "closed"}
    is_full = is_enough or (rater is not None and not left and not has_room(study, rater))
    nothing = "done" if is_full else "between" if row.later else "waiting" if others else "done"
    nothing = "stopped" if row.stopped and not row.held else "work" if left else nothing
    state = states.get(Study.Status(study.status), nothing)
    steps_left = study.has_steps if row.admitted is None else not row.admitted
    if steps_left and study.is_live and state != "stopped":
        state = "steps"
    return MyWork(
        study, done, left, row.ahead > MOST_COUNTED, state, notes=row.notes, skipped=row.skipped, is_new=not row.met,
        minutes=seconds / 60 if seconds else None, read=row.read, newest=row.newest,
        flag_answers=row.flag_answers, is_stopped=row.stopped, is_full=is_full, is_enough=is_enough,
        steps_left=steps_left,
    )  # fmt: skip


def _mixed_left(study: Study, rater: Rater, tasks: int) -> int:
    """How many mixed tasks will come among those that a rater can still get; a query only if there are some."""
    if not parts_of(study).mixing:
        return 0
    items = open_slots(study, rater).order_by().values("item").distinct()[:MOST_COUNTED].count()
    return mixed_among(study, rater, tasks, items)


def unread_notes(person: Person) -> QuerySet[SpotCheck]:
    """Return the notes on this person's answers that they have not marked as read, oldest first."""
    notes = SpotCheck.objects.filter(annotation__rater__person=person, seen_at=None).exclude(note="")
    return notes.order_by("pk")


def annotators_of(study: Study) -> int:
    """Return how many annotators the study has now."""
    return Membership.objects.filter(study=study, active=True, role=Role.ANNOTATOR, person__is_active=True).count()


def skipped_in(study: Study) -> QuerySet[Annotation]:
    """Return skipped tasks, latest first."""
    return (
        Annotation.objects.filter(rater__study=study, is_current=True, status="skipped")
        .select_related("rater", "task__item")
        .order_by("-pk")
    )


def invitations_of(study: Study) -> QuerySet[Invitation]:
    """Return all invitations to a study, latest first."""
    return Invitation.objects.filter(study=study).select_related("accepted_by", "created_by").order_by("-pk")


def state_of(invitation: Invitation) -> str:
    """Return `used`, `revoked`, `expired` or `open`."""
    if invitation.accepted_at:
        return "used"
    if invitation.revoked_at:
        return "revoked"
    return "expired" if invitation.expires_at <= database_now() else "open"


def tokens_of(study: Study) -> QuerySet[Token]:
    """Return all tokens of a study, latest first."""
    return Token.objects.filter(study=study).select_related("made_by", "study").order_by("-pk")


def state_of_token(token: Token) -> str:
    """Return `revoked`, `expired` or `open`."""
    if token.revoked_at:
        return "revoked"
    return "expired" if token.expires_at <= database_now() else "open"
