"""How many people came how far on the way into a study: invited, opened, joined, each step, active."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q

from accounts.audited_erasure import RATER_ERASED
from accounts.models import AuditEntry
from annotation.models import Annotation, Invitation, Membership, Rater, Study
from annotation.models.people import Role
from parts.way_in.admission import next_step, passages_of
from parts.way_in.entry_step import EntryStep, Passages, steps_of
from parts.way_in.models import StepPassage

MOST_LISTED = 500


@dataclass(frozen=True)
class FunnelRow:
    """A stage: how many people reached it, of the first stage and of the one before (shares from 0 to 1, or None).

    `failed` did not pass it, `waiting` have finished it and wait for a decision, and `here` are at it now.
    """

    title: str
    count: int
    of_first: float | None
    of_previous: float | None
    failed: int = 0
    here: int = 0
    waiting: int = 0


@dataclass(frozen=True)
class OnTheWay:
    """A person on the way: the name of their rater, the step that is next, and their last attempt at it."""

    rater: Rater
    step: EntryStep | None
    last: StepPassage | None


@dataclass(frozen=True)
class Funnel:
    """The rows, the people, how many have left by themselves or were erased, and who waits for a decision."""

    rows: list[FunnelRow]
    people: list[OnTheWay]
    left: int

    @property
    def has_decisions(self) -> bool:
        """Whether somebody waits for a decision at some stage."""
        return any(row.waiting for row in self.rows)

    @property
    def waiting(self) -> list[OnTheWay]:
        return [one for one in self.people if one.last is not None and one.last.outcome == "waiting"]


def funnel_of(study: Study) -> Funnel:
    """Count a study's people in seven queries. Nobody is counted who has left the study."""
    steps = steps_of(study)
    members = Membership.objects.filter(study=study, role=Role.ANNOTATOR, active=True)
    answered = Annotation.objects.filter(rater=OuterRef("pk"), status="submitted")
    raters = list(
        Rater.objects.filter(study=study, person__in=members.values("person"))
        .annotate(is_active=Exists(answered)).order_by("pk")
    )  # fmt: skip
    known = passages_of([rater.pk for rater in raters])
    invited = Invitation.objects.filter(study=study, role=Role.ANNOTATOR).aggregate(
        sent=Count("pk"), opened=Count("pk", filter=Q(opened_at__isnull=False) | Q(accepted_at__isnull=False))
    )
    counts = [("Invited", invited["sent"], 0, 0, 0), ("Opened the invitation", invited["opened"], 0, 0, 0)]
    counts.append(("Joined", members.count(), 0, 0, 0))
    counts += [_of_step(step, steps, list(known.values())) for step in steps]
    counts.append(("Active: at least one answer", sum(one.is_active for one in raters), 0, 0, 0))
    if not invited["sent"]:
        counts = counts[2:]
    left = AuditEntry.objects.filter(study=study.slug, action=RATER_ERASED).count()
    people = [_on_the_way(rater, steps, known[rater.pk]) for rater in raters[:MOST_LISTED]]
    return Funnel(_rows(counts), people, left)


def _of_step(step: EntryStep, steps: Sequence[EntryStep], ways: Sequence[Passages]) -> tuple[str, int, int, int, int]:
    place = steps.index(step)
    passed, last = 0, []
    for way in ways:
        upcoming = next_step(steps, way)
        if upcoming is None or steps.index(upcoming) > place:
            passed += 1
        elif upcoming.key == step.key:
            attempts = way.of(step)
            last.append(attempts[-1].outcome if attempts else None)
    failed, waiting = (last.count(one) for one in (StepPassage.Outcome.FAILED, StepPassage.Outcome.WAITING))
    return step.title, passed, failed, len(last) - failed - waiting, waiting


def _rows(counts: Sequence[tuple[str, int, int, int, int]]) -> list[FunnelRow]:
    rows: list[FunnelRow] = []
    for title, count, *others in counts:
        before = rows[-1].count if rows else None
        first = rows[0].count if rows else None
        rows.append(FunnelRow(title, count, _share(count, first), _share(count, before), *others))
    return rows


def _share(count: int, of: int | None) -> float | None:
    return count / of if of else None


def _on_the_way(rater: Rater, steps: Sequence[EntryStep], way: Passages) -> OnTheWay:
    step = next_step(steps, way)
    attempts = way.of(step) if step else ()
    return OnTheWay(rater, step, attempts[-1] if attempts else None)
