"""The context of the page that says how a study moves: pace, expected end, raters, leases and what waits."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import QueryDict

from agreement.answers.expected_end import ExpectedEnd, expected_end
from agreement.catalogue.disagreement_catalogue import DISAGREEMENT
from annotation.models import Rater, Slot, Study
from annotation.studies.pace_counts import RaterPace, StudyPace, pace_of
from annotation.studies.reading_speed import FASTEST, HastyAnswers
from config.database_clock import database_now
from managing.watching.attention_counts import attention_counts
from managing.watching.pace_chart import day_chart
from managing.watching.pay_of_hours import pay_of
from reports.kept.kept_reports import Kept, kept_report
from reports.pages.display.printed_figures import UNIT, Json, PrintedFigure, printed
from reports.report_kinds.disagreement import disagreement_choices

PAGE_SIZE = 25
LEASES = 15
NOT_LIVE = "the study is not live"
NO_FIGURE = "no answers that others gave too"


@dataclass(frozen=True)
class RaterRow:
    """A rater with their pace and how far they agree with the others; `bias` is in the steps of one question."""

    rater: Rater
    pace: RaterPace
    hasty: HastyAnswers
    agrees: PrintedFigure
    bias: PrintedFigure


@dataclass(frozen=True)
class EndDates:
    """The expected end as dates; `late` None: more than ten years away."""

    day: date
    early: date
    late: date | None


class ProgressPage:
    """What the page shows; `number` is the page of raters that the address names. Raises ImportPendingError."""

    def __init__(self, study: Study, query: QueryDict) -> None:
        self.study, self.number = study, query.get("page")

    def context(self) -> dict[str, Any]:
        """The values of the page's templates."""
        study, pace = self.study, pace_of(self.study)
        kept = kept_report(study, "disagreement", disagreement_choices())
        leases = list(_leases(study)[: LEASES + 1])
        context = {
            "study": study,
            "kept": pace.kept,
            "waiting": attention_counts(study),
            "leases": leases[:LEASES],
            "more_leases": len(leases) > LEASES,
            "now": database_now(),
            "agreement": kept,
            **self._raters(pace, kept),
        }
        if not pace.figures:
            return context | {"pace": None}
        end = _end(study, pace)
        return context | {
            "pace": pace,
            "progress": pace.progress,
            "chart": day_chart([*pace.days, (database_now().date(), pace.figures["today"])]),
            "per_day": pace.last_week / 7,
            "per_hour": pace.last_day / 24,
            "pay": pay_of(study, pace),
            "end": end,
            "dates": _dates(end),
        }

    def _raters(self, pace: StudyPace, kept: Kept) -> dict[str, Any]:
        figures = kept.figures if kept.is_there else {}
        biased = _biased_question(figures)
        biases = {row["name"]: row for row in biased[1]} if biased else {}
        answered = pace.figures.get("raters", {}) if pace.figures else {}
        people = Rater.objects.filter(study=self.study, kind=Rater.Kind.HUMAN)
        ordered = sorted(people, key=lambda one: (-answered.get(str(one.pk), {}).get("week", 0), one.name))
        page: Page[Rater] = Paginator(ordered, PAGE_SIZE).get_page(self.number)
        shared = figures.get("raters", {})
        rows = [
            RaterRow(
                one, pace.of_rater(one.pk) if pace.figures else RaterPace(), pace.hasty_of(one.pk),
                _agrees(shared.get(one.name)), _bias(biases.get(one.name)),
            )
            for one in page
        ]  # fmt: skip
        return {
            "raters": rows,
            "page": page,
            "fastest_reading": FASTEST,
            "biased_question": biased[0] if biased else "",
        }


def _agrees(row: Json | None) -> PrintedFigure:
    return printed("agrees", DISAGREEMENT["agrees"], row["agrees"] if row else None, None, NO_FIGURE, UNIT)


def _bias(row: Json | None) -> PrintedFigure:
    value, interval = (row["bias"], row["bias_ci"]) if row else (None, None)
    return printed("bias", DISAGREEMENT["bias"], value, interval, NO_FIGURE, None)


def _biased_question(figures: Mapping[str, Any]) -> tuple[str, list[Json]] | None:
    """The first question whose values are numbers, with its rows of raters."""
    for key, report in figures.get("questions", {}).items():
        if report["level"] == "interval" and report["by"].get("rater", {}).get("rows"):
            return key, report["by"]["rater"]["rows"]
    return None


def _leases(study: Study) -> QuerySet[Slot]:
    """The slots that raters hold, those whose lease ends first at the top."""
    held = Slot.objects.filter(study=study, state=Slot.State.HELD).select_related("holder", "item")
    return held.only("id", "lease_until", "holder__name", "item__key").order_by("study", "lease_until")


def _end(study: Study, pace: StudyPace) -> ExpectedEnd:
    progress = pace.progress
    left = progress.total - progress.filled
    if left and not study.is_live:
        return ExpectedEnd(None, reason=NOT_LIVE)
    return _expected_end(tuple(pace.whole_days), left, progress.total)


@lru_cache(maxsize=256)
def _expected_end(counts: tuple[int, ...], left: int, total: int) -> ExpectedEnd:
    return expected_end(counts, left, total)


def _dates(end: ExpectedEnd) -> EndDates | None:
    if end.days is None or end.early is None:
        return None
    today = database_now().date()
    late = None if end.late is None else today + timedelta(days=end.late)
    return EndDates(today + timedelta(days=end.days), today + timedelta(days=end.early), late)
