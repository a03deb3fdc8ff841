"""The judgments of a run, filtered and page by page. A page begins after a place: none is slower."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.http import urlencode

from annotation.blinding import names_of
from annotation.models import Item, JudgeRun, Question, Study
from annotation.questions.best_worst import is_best_worst
from annotation.questions.preference import TIE
from config.background.rows import Status as RowStatus
from judges.models import HAS_REASON, REASON_START, Judgment, RunWork
from judges.protocol import judge_protocols
from judges.run_page_data import OUTCOMES

PER_PAGE = 50
LARGEST = 2**31 - 1
HELD = "held"
COLUMNS = ("injection",
    "place", "run", "replicate", "status", "outcome", "reason", "reading", "order", "variant", "output", "other_output",
    "item__key", "question__key", "ended_at",
)  # fmt: skip


@dataclass(frozen=True)
class JudgmentFilters:
    """The filters in the address of a run; "" means any. A page is `after` or `before` a place, None for the first."""

    outcome: str = ""
    reason: str = ""
    question: str = ""
    item: str = ""
    after: int | None = None
    before: int | None = None

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "JudgmentFilters":
        texts = {name: query.get(name, "").replace("\0", "") for name in ("outcome", "reason", "question", "item")}
        texts["outcome"] = texts["outcome"] if texts["outcome"] in OUTCOMES else ""
        return cls(**texts, after=place_in(query.get("after")), before=place_in(query.get("before")))

    def query(self) -> dict[str, str]:
        """Return the filters as the query of an address, without the page."""
        names = ("outcome", "reason", "question", "item")
        return {name: value for name in names if (value := getattr(self, name))}

    def address(self, **page: int) -> str:
        """Return the query of another page with the same filters."""
        return f"?{urlencode([*self.query().items(), *page.items()])}"

    def rows(self, run: JudgeRun, held_from: int | None) -> QuerySet[Judgment]:
        """Return the matching judgments of a run, in no order; an index serves each filter."""
        rows = Judgment.objects.filter(run=run)
        if self.outcome == HELD:
            rows = (
                rows.filter(status=RowStatus.STOPPED, outcome="", place__gte=held_from)
                if held_from is not None
                else rows.none()
            )
        elif self.outcome:
            is_over = self.outcome in Judgment.Outcome.values
            state = {"status": RowStatus.DONE, "outcome": self.outcome} if is_over else {"status": self.outcome}
            rows = rows.filter(**{"outcome": "", **state})
            if self.outcome == RowStatus.STOPPED and held_from is not None:
                rows = rows.filter(place__lt=held_from)
        if self.reason:
            rows = rows.annotate(why=REASON_START).filter(HAS_REASON, why=self.reason)
        if self.question:
            rows = rows.filter(question=Question.objects.filter(study=run.rater.study_id, key=self.question)[:1])
        if self.item:
            rows = rows.filter(item=Item.objects.filter(study=run.rater.study_id, key=self.item)[:1])
        return rows


def place_in(given: str | None) -> int | None:
    """Return a place in an address, or None if it is not one."""
    if not given or not (given.isascii() and given.isdigit()) or len(given) > 10:
        return None
    return min(int(given), LARGEST)


@dataclass(frozen=True)
class JudgmentRow:
    """A judgment in the list: what it is about, its outcome, and its value or the reason why there is none."""

    judgment: Judgment
    number: int
    about: str
    outcome: str
    is_valid: bool
    value: str


@dataclass(frozen=True)
class JudgmentPage:
    """A page of judgments with the addresses of its neighbours, "" if there is none."""

    rows: Sequence[JudgmentRow]
    earlier: str
    later: str


def judgment_page(study: Study, run: JudgeRun, filters: JudgmentFilters, held_from: int | None = None) -> JudgmentPage:
    """Return a page of the run's judgments in one query; `held_from` is the place of the first one that is held."""
    rows = filters.rows(run, held_from).select_related("item", "question").only(*COLUMNS)
    backwards = filters.before is not None and filters.after is None
    if backwards:
        found = list(rows.filter(place__lt=filters.before).order_by("-place")[: PER_PAGE + 1])
    else:
        rows = rows if filters.after is None else rows.filter(place__gt=filters.after)
        found = list(rows.order_by("place")[: PER_PAGE + 1])
    more, shown = len(found) > PER_PAGE, found[:PER_PAGE]
    shown = shown[::-1] if backwards else shown
    has_earlier = more if backwards else filters.after is not None
    has_later = True if backwards else more
    return JudgmentPage(
        [judgment_row(one, held_from) for one in shown_judgments(study, shown)],
        filters.address(before=shown[0].place) if shown and has_earlier else "",
        filters.address(after=shown[-1].place) if shown and has_later else "",
    )


def shown_judgments(study: Study, judgments: Iterable[Judgment]) -> list[Judgment]:
    """Judgments with systems called as they are shown; they must not be saved."""
    rows, names = list(judgments), names_of(study)
    for row in rows if names.are_codes else ():
        protocol = judge_protocols().get(str(row.run.configuration.get("protocol")))
        row.order = names.listed(row.order)
        if protocol is not None and row.reading and "value" in row.reading:  # the rest is the judge's own words
            row.reading = {**row.reading, "value": names.value(protocol.shape, row.reading["value"])}
    return rows


def judgment_row(judgment: Judgment, held_from: int | None = None) -> JudgmentRow:
    """Return a judgment for a list, without the reason of those that are held: the page has one sentence for all."""
    valid = judgment.outcome == Judgment.Outcome.VALID and judgment.reading is not None
    outcome = outcome_words(judgment, held_from)
    reason = "" if outcome == OUTCOMES[HELD] else judgment.reason
    value = value_words((judgment.reading or {})["value"]) if valid else reason
    about = " · ".join(judgment.order or ()) or judgment.variant
    return JudgmentRow(judgment, judgment.place + 1, about, outcome, valid, value)


def outcome_words(judgment: Judgment, held_from: int | None) -> str:
    """Return the outcome of a judgment, or its state if it has none; those from place `held_from` on are held."""
    if judgment.status == RowStatus.STOPPED and held_from is not None and judgment.place >= held_from:
        return OUTCOMES[HELD]
    return OUTCOMES.get(judgment.outcome or judgment.status, judgment.outcome)


def held_words(work: RunWork | None) -> str:
    """Return which judgments of a run are held and until when, in a sentence, or "" if none is."""
    if work is None or work.held_from is None:
        return ""
    if not work.is_planned:
        return "All judgments are held until the run is planned."
    first = work.held_from + 1
    return f"Judgments from number {first:,} on are held until somebody has looked at the pilot and resumes the run."


def value_words(value: Any) -> str:
    """Return a value in a few words: a label, a number with at most four digits, outputs from best to worst or both."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"{value:.4g}"
    if is_best_worst(value):
        return f"best {value['best']}, worst {value['worst']}"
    if isinstance(value, dict):
        return ranking_words(value)
    return "tie" if value == TIE else str(value)


def ranking_words(ranks: Mapping[str, Any]) -> str:
    """Return a ranking from best to worst: `a > b = c`."""
    if not all(isinstance(rank, int) for rank in ranks.values()):
        return ""
    tiers: dict[int, list[str]] = {}
    for key, rank in sorted(ranks.items(), key=lambda one: (one[1], one[0])):
        tiers.setdefault(rank, []).append(key)
    return " > ".join(" = ".join(keys) for keys in tiers.values())
