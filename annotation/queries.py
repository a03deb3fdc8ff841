"""What the pages around the desk show: read only, in few queries whatever a study's size."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db.models import BigIntegerField, Count, Exists, IntegerField, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.models import Person
from annotation.access import ANNOTATORS, RESEARCHERS, studies_of
from annotation.assigning import tasks_of
from annotation.batching import EVERYWHERE, last_places
from annotation.models import (
    Annotation,
    Assignment,
    Batch,
    Invitation,
    Item,
    Membership,
    Rater,
    Slot,
    SpotCheck,
    Study,
    Token,
)
from annotation.models.people import Role
from annotation.protocols import protocols

MOST_COUNTED = 1000
ANSWERED = ("submitted", "skipped")


class CountOf(Subquery):
    """How many rows a query that refers to the outer one has."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS counted)"
    output_field = IntegerField()


@dataclass(frozen=True)
class MyWork:
    """A study as its annotator sees it: tasks answered and left (`more`: at least so many), and what comes next.

    `state` is `soon`, `work`, `between` (more comes with the next batch), `waiting` (nothing for now), `paused` or
    `closed`. `notes` are those of researchers that are to be read before going on.
    """

    study: Study
    done: int
    left: int
    more: bool
    state: str
    notes: int = 0

    @property
    def total(self) -> int:
        return self.done + self.left


def work_of(person: Person) -> list[MyWork]:
    """The studies in which `person` annotates, those with work first; one query."""
    mine = Slot.objects.filter(task=OuterRef("task"), holder__person=person)
    answered = Annotation.objects.filter(rater__person=person, is_current=True, status__in=ANSWERED)
    open_slots = Slot.objects.filter(~Exists(mine), study=OuterRef("study"), state=Slot.State.OPEN).exclude(
        Exists(answered.filter(task=OuterRef("task")))
    )
    held = Slot.objects.filter(study=OuterRef("study"), holder__person=person, state=Slot.State.HELD)
    last = Subquery(last_places(Batch.objects.filter(study=OuterRef("study"))))
    notes = unread_notes(person).filter(annotation__rater__study=OuterRef("study"))
    memberships = (
        Membership.objects.filter(person=person, active=True, role__in=ANNOTATORS)
        .select_related("study")
        .annotate(last=Coalesce(last, Value(EVERYWHERE), output_field=BigIntegerField()))
        .annotate(
            done=CountOf(answered.filter(rater__study=OuterRef("study")).values("pk")),
            held=CountOf(held.values("pk")),
            # Counting ends at a thousand tasks, so that the page costs the same in a study of a million.
            ahead=CountOf(
                open_slots.filter(place__lte=OuterRef("last")).order_by().values("task").distinct()[: MOST_COUNTED + 1]
            ),
            later=Exists(open_slots.filter(place__gt=OuterRef("last"))),
            notes=CountOf(notes.values("pk")),
        )
        .order_by("pk")
    )
    works = [_work(row) for row in memberships]
    order = ("work", "between", "waiting", "paused", "soon", "closed")
    return sorted(works, key=lambda work: order.index(work.state))


def _work(row: Any) -> MyWork:
    study, done, left = row.study, row.done, row.held + min(row.ahead, MOST_COUNTED)
    rater = None
    if not protocols()[study.protocol].offers_all:
        rater = Rater.objects.filter(study=study, person=row.person_id).first()
    if rater is not None:
        done, left = tasks_of(study, rater)
    states = {Study.Status.DRAFT: "soon", Study.Status.PAUSED: "paused", Study.Status.CLOSED: "closed"}
    nothing = "between" if row.later else "waiting"
    state = states.get(Study.Status(study.status), "work" if left else nothing)
    return MyWork(study, done, left, row.ahead > MOST_COUNTED, state, row.notes)


def unread_notes(person: Person) -> QuerySet[SpotCheck]:
    """Notes on this person's answers that they have not said to have read, the oldest first."""
    notes = SpotCheck.objects.filter(annotation__rater__person=person, seen_at=None).exclude(note="")
    return notes.order_by("pk")


@dataclass(frozen=True)
class Progress:
    """Places for answers in a study: `total` = open + held + filled."""

    total: int = 0
    filled: int = 0
    held: int = 0

    @property
    def open(self) -> int:
        return self.total - self.filled - self.held

    @property
    def percent(self) -> int:
        return 100 * self.filled // self.total if self.total else 0


def progress_by_study(studies: QuerySet[Study]) -> dict[int, Progress]:
    """How far each of `studies` is, by primary key; one query."""
    filled, held = Q(state=Slot.State.FILLED), Q(state=Slot.State.HELD)
    rows = (
        Slot.objects.filter(study__in=studies)
        .values("study")
        .annotate(total=Count("pk"), filled=Count("pk", filter=filled), held=Count("pk", filter=held))
    )
    return {row["study"]: Progress(row["total"], row["filled"], row["held"]) for row in rows}


@dataclass(frozen=True)
class Run:
    """A study as the people who run it see it on their home page."""

    study: Study
    progress: Progress
    flagged: int
    annotators: int
    invited: int
    unprepared: bool


def runs_of(person: Person) -> list[Run]:
    """The studies that `person` runs, live ones first; two queries."""
    studies = studies_of(person, RESEARCHERS)
    progress = progress_by_study(studies)
    flagged = Assignment.objects.filter(rater__study=OuterRef("pk")).exclude(flag="").values("pk")
    annotators = Membership.objects.filter(study=OuterRef("pk"), active=True, role=Role.ANNOTATOR).values("pk")
    waiting = Invitation.objects.filter(
        study=OuterRef("pk"), accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )
    unprepared = Item.objects.filter(study=OuterRef("pk"), pk__gt=OuterRef("planned_through"))
    annotated = studies.annotate(
        flagged=CountOf(flagged),
        annotators=CountOf(annotators),
        invited=CountOf(waiting.values("pk")),
        unprepared=Exists(unprepared),
    )
    states = [Study.Status.LIVE, Study.Status.DRAFT, Study.Status.PAUSED, Study.Status.CLOSED]
    rows = sorted(annotated, key=lambda row: (states.index(Study.Status(row.status)), -row.pk))
    return [
        Run(row, progress.get(row.pk, Progress()), row.flagged, row.annotators, row.invited, row.unprepared)
        for row in rows
    ]


@dataclass(frozen=True)
class Pace:
    """Whether a study moves: answers of the last day and week, and when the last one came."""

    day: int
    week: int
    last: Any


def pace_of(study: Study) -> Pace:
    now = timezone.now()
    row = Annotation.objects.filter(rater__study=study, is_current=True, status="submitted").aggregate(
        day=Count("pk", filter=Q(submitted_at__gte=now - timedelta(days=1))),
        week=Count("pk", filter=Q(submitted_at__gte=now - timedelta(days=7))),
        last=Max("submitted_at"),
    )
    return Pace(**row)


@dataclass(frozen=True)
class Taking:
    """A member or a rater of a study with what they did. Imported raters have no membership."""

    membership: Membership | None
    rater: Rater | None
    submitted: int = 0
    skipped: int = 0
    surplus: int = 0
    flagged: int = 0
    last: Any = None


def people_of(study: Study) -> list[Taking]:
    """Everybody who takes or took part: owners and researchers first, then annotators by name, then imported."""
    raters = _with_counts(Rater.objects.filter(study=study, kind=Rater.Kind.HUMAN))
    by_person = {rater.person_id: rater for rater in raters if rater.person_id}
    order = [role.value for role in Role]
    members = sorted(
        Membership.objects.filter(study=study).select_related("person"),
        key=lambda one: (order.index(one.role), not one.active, str(one.person).casefold()),
    )
    rows = [_taking(member, by_person.pop(member.person_id, None)) for member in members]
    return rows + [_taking(None, rater) for rater in raters if rater.person_id in by_person or not rater.person_id]


def _with_counts(raters: QuerySet[Rater]) -> list[Any]:
    current = Q(annotations__is_current=True)
    submitted = current & Q(annotations__status="submitted")
    flagged = Assignment.objects.filter(rater=OuterRef("pk")).exclude(flag="").values("pk")
    return list(
        raters.annotate(
            submitted=Count("annotations", filter=submitted),
            skipped=Count("annotations", filter=current & Q(annotations__status="skipped")),
            surplus=Count("annotations", filter=submitted & Q(annotations__surplus=True)),
            last=Max("annotations__submitted_at"),
            flagged=CountOf(flagged),
        ).order_by("name")
    )


def _taking(membership: Membership | None, rater: Any) -> Taking:
    if rater is None:
        return Taking(membership, None)
    return Taking(membership, rater, rater.submitted, rater.skipped, rater.surplus, rater.flagged, rater.last)


def annotators_of(study: Study) -> int:
    """How many people annotate in a study now."""
    return Membership.objects.filter(study=study, active=True, role=Role.ANNOTATOR, person__is_active=True).count()


def flagged_in(study: Study) -> QuerySet[Assignment]:
    """Tasks that a rater says something is wrong with, the latest first."""
    return (
        Assignment.objects.filter(rater__study=study)
        .exclude(flag="")
        .select_related("rater", "task__item")
        .order_by("-pk")
    )


def skipped_in(study: Study) -> QuerySet[Annotation]:
    """Tasks that a rater passed on, with the reason, the latest first."""
    return (
        Annotation.objects.filter(rater__study=study, is_current=True, status="skipped")
        .select_related("rater", "task__item")
        .order_by("-pk")
    )


def invitations_of(study: Study) -> QuerySet[Invitation]:
    """All invitations to a study, the latest first."""
    return Invitation.objects.filter(study=study).select_related("accepted_by", "created_by").order_by("-pk")


def state_of(invitation: Invitation) -> str:
    """`used`, `revoked`, `expired` or `open`."""
    if invitation.accepted_at:
        return "used"
    if invitation.revoked_at:
        return "revoked"
    return "expired" if invitation.expires_at <= timezone.now() else "open"


def tokens_of(study: Study) -> QuerySet[Token]:
    """All tokens of a study, the latest first."""
    return Token.objects.filter(study=study).select_related("made_by", "study").order_by("-pk")


def state_of_token(token: Token) -> str:
    """`revoked`, `expired` or `open`."""
    if token.revoked_at:
        return "revoked"
    return "expired" if token.expires_at <= timezone.now() else "open"
