"""The submissions of people who came by links: how long they worked, how it ended, and what to pay them.

The lists for the recruiter's site hold one line per person: an id, or an id and an amount, without a heading.
"""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce, Least

from annotation.models import Annotation, Rater, Study
from annotation.studies.pace_plan import pace_in
from config.database_clock import database_now
from files.tables.csv_cells import neutralise
from parts.crowds.models import OUTCOMES, CrowdBrowser, CrowdId, CrowdStay
from parts.crowds.recruiter_settings import Recruiter, recruiter_of

CENT = Decimal("0.01")
COLUMNS = (
    "rater", "source", "participant", "study", "session", "entered_at", "ended_at", "outcome", "code", "answers",
    "skipped", "active_minutes", "suggested_payment", "bonus", "currency", "same_browser_as", "other_submissions",
)  # fmt: skip


@dataclass(frozen=True)
class CrowdSubmission:
    """A person's stay with what there is to know about it."""

    stay: CrowdStay
    known: CrowdId | None
    answers: int
    skipped: int
    active_seconds: float
    base: Decimal | None
    suggested: Decimal | None
    same_browser: Sequence[str]
    """The raters of the study who came from the same browser."""

    @property
    def active_minutes(self) -> float:
        return self.active_seconds / 60

    @property
    def bonus(self) -> Decimal | None:
        """What is to be paid on top of what the recruiter pays for the outcome."""
        return None if self.suggested is None or self.base is None else self.suggested - self.base

    @property
    def outcome(self) -> str:
        return OUTCOMES.get(self.stay.outcome, "Under way")


def stays_of(study: Study, *, outcome: str = "", source: str = "", odd: bool = False) -> QuerySet[CrowdStay]:
    """Return the study's stays, the newest first; `outcome` is one of OUTCOMES or `open`."""
    stays = CrowdStay.objects.filter(study=study).select_related("rater").order_by("-pk")
    if outcome in OUTCOMES or outcome == "open":
        stays = stays.filter(outcome="" if outcome == "open" else outcome)
    if source in CrowdStay.Source.values:
        stays = stays.filter(source=source)
    if odd:
        keys = CrowdBrowser.objects.filter(study=study).values("key").annotate(people=Count("pk")).filter(people__gt=1)
        shared = CrowdBrowser.objects.filter(study=study, key__in=keys.values("key"))
        again = CrowdId.objects.filter(study=study, repeats__gt=0)
        stays = stays.filter(Q(rater__person__in=shared.values("person")) | Q(rater__person__in=again.values("person")))
    return stays


def submissions_of(study: Study, stays: Iterable[CrowdStay]) -> list[CrowdSubmission]:
    """Return what there is to know about these stays, in four queries."""
    stays, recruiter = list(stays), recruiter_of(study)
    people = [one.rater.person_id for one in stays if one.rater.person_id is not None]
    known = {one.person_id: one for one in CrowdId.objects.filter(study=study, person__in=people)}
    work, now = _work_of([one.rater_id for one in stays]), database_now()
    shared, found, pace = _same_browsers(study, people), [], pace_in(study)
    steps = 60 * (pace.step_minutes or 0.0) if pace is not None and study.has_steps else 0.0
    for stay in stays:
        answers, skipped, active = work.get(stay.rater_id, (0, 0, 0.0))
        # The times of tasks that are open in several tabs overlap: together at most the stay.
        seconds = min(active, max(0.0, ((stay.ended_at or now) - stay.entered_at).total_seconds()))
        paid = seconds + (steps if stay.rater.admitted else 0.0)  # of steps nothing is measured
        paid = min(paid, max(0.0, ((stay.ended_at or now) - stay.entered_at).total_seconds()))
        base, suggested = payment(recruiter if stay.source == "recruiter" else None, stay.outcome, paid)
        found.append(
            CrowdSubmission(stay, known.get(stay.rater.person_id or 0), answers, skipped, seconds, base, suggested,
                       shared.get(stay.rater.person_id or 0, ()))
        )  # fmt: skip
    return found


def payment(recruiter: Recruiter | None, outcome: str, seconds: float) -> tuple[Decimal | None, Decimal | None]:
    """Return what the recruiter pays for this outcome, and what is fair: at least `per_hour` for the active time."""
    body = recruiter.body if recruiter else {}
    if not outcome or ("pay" not in body and "per_hour" not in body):
        return None, None
    base = _cents(Decimal(str(body.get("pay", {}).get(outcome, 0))))
    hours = Decimal(str(seconds)) / 3600
    return base, max(base, _cents(Decimal(str(body.get("per_hour", 0))) * hours))


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


def _work_of(raters: Sequence[int]) -> Mapping[int, tuple[int, int, float]]:
    """The submitted answers of raters, their skipped tasks, and their active seconds with those of skipped tasks.

    A page counts active seconds, and a forged page as many as it likes: at most the server's own count.
    """
    rows = (
        Annotation.objects.filter(rater__in=raters, is_current=True)
        .values("rater")
        .annotate(
            given=Count("pk", filter=Q(status="submitted")),
            skipped=Count("pk", filter=Q(status="skipped")),
            active=Sum(Least(Coalesce("active_seconds", 0.0), Coalesce("seconds", 0.0))),
        )
    )
    return {row["rater"]: (row["given"], row["skipped"], float(row["active"] or 0)) for row in rows}


def _same_browsers(study: Study, people: Sequence[int]) -> Mapping[int, Sequence[str]]:
    """The names of other raters who came from a browser of each of these people."""
    mine = CrowdBrowser.objects.filter(study=study, person__in=people)
    rows = list(CrowdBrowser.objects.filter(study=study, key__in=mine.values("key")).values_list("key", "person"))
    counts = Counter(key for key, _ in rows)
    by_key = defaultdict(set)
    for key, person in rows:
        if counts[key] > 1:
            by_key[key].add(person)
    shared = {person for group in by_key.values() for person in group}
    names = dict(Rater.objects.filter(study=study, person__in=shared).values_list("person", "name")) if shared else {}
    found: dict[int, set[str]] = defaultdict(set)
    for group in by_key.values():
        for person in group:
            found[person] |= {names[one] for one in group if one != person and one in names}
    return {person: sorted(others) for person, others in found.items()}


def table_lines(study: Study, submissions: Iterable[CrowdSubmission]) -> str:
    """Return all that the page shows as CSV, without formulas for spreadsheets."""
    currency = (study.recruiting.get("recruiter") or {}).get("currency", "")
    rows: list[Sequence[str]] = [COLUMNS]
    for one in submissions:
        stay, known = one.stay, one.known
        rows.append([neutralise(cell) for cell in (
            stay.rater.name, stay.source, known.participant if known else "", known.recruiter_study if known else "",
            known.session if known else "", stay.entered_at.isoformat(),
            stay.ended_at.isoformat() if stay.ended_at else "", stay.outcome or "open", stay.code,
            str(one.answers), str(one.skipped), f"{one.active_minutes:.1f}", _amount(one.suggested),
            _amount(one.bonus), currency,
            " ".join(one.same_browser), str(known.repeats if known else 0),
        )])  # fmt: skip
    return _csv(rows)


def approve_lines(submissions: Iterable[CrowdSubmission]) -> str:
    """Return the ids of people who have completed the study, one per line."""
    complete = (one for one in submissions if one.stay.outcome == CrowdStay.Outcome.COMPLETE)
    return _csv([(one.known.participant,) for one in complete if one.known])


def bonus_lines(submissions: Iterable[CrowdSubmission]) -> str:
    """Return `id,amount` for everybody who is to be paid more than the recruiter pays."""
    return _csv([(one.known.participant, _amount(one.bonus)) for one in submissions if one.known and one.bonus])


def _amount(amount: Decimal | None) -> str:
    return "" if amount is None else str(amount)


def _csv(rows: Iterable[Sequence[str]]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    return written.getvalue()
