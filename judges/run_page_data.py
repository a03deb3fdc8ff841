"""Data for the pages about runs: rows of the list, the state of a run, what failed, and what it was told."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, Q, QuerySet
from django.utils.http import urlencode

from annotation.blinding import OWN_NAMES, Names
from annotation.models import JudgeRun, Study
from config.background.rows import Status as RowStatus
from config.database_clock import database_now
from judges.judge_choices import judge_choice
from judges.models import HAS_REASON, REASON_LENGTH, REASON_START, Judgment, RunWork
from judges.run_context import charge_name
from judges.run_kinds.model_runs import outcome_counts
from judges.run_states import PILOT_DONE, RESUMABLE
from llm.budgets import amount_text
from llm.endpoints import is_scripted
from llm.models import Budget
from llm.page_data import amount

OUTCOMES: Mapping[str, str] = {
    **{value: str(label) for value, label in Judgment.Outcome.choices}, "failed": "Failed", "stopped": "Stopped",
    "held": "Held", "running": "Being judged", "queued": "Waiting",
}  # fmt: skip
"""The outcomes of judgments, and the states of those without one, in the order of the page."""
NOT_OVER = ("failed", "stopped", "running", "queued")
MOST_REASONS, MOST_REPLACEMENTS = 50, 100
MINUTE, HOUR, DAY = 60, 3600, 86400
RATED_ROWS, RATED_SECONDS = 500, 120
"""The rate is taken from the judgments just before the first waiting one, as far as they are this new."""


@dataclass(frozen=True)
class RunFacts:
    """What the pages say of a run's configuration, which an imported run may lack in part."""

    judge: str
    source: str
    model: str
    scripted: bool
    questions: tuple[str, ...]
    configuration: Mapping[str, Any]

    @property
    def has_judgments(self) -> bool:
        """Whether the run asks a model, so that each of its judgments is a row; a metric only has counts."""
        return "protocol" in self.configuration

    @classmethod
    def of(cls, run: JudgeRun) -> "RunFacts":
        given = run.configuration if isinstance(run.configuration, dict) else {}
        key, model = str(given.get("protocol") or given.get("metric") or ""), str(given.get("model") or "")
        choice, questions = judge_choice(key), given.get("questions")
        return cls(
            choice.label if choice else key, choice.source if choice else "", model,
            given.get("scripted") is True or is_scripted(model),
            tuple(map(str, questions)) if isinstance(questions, list) else (), given,
        )  # fmt: skip


@dataclass(frozen=True)
class RunRow:
    """A run in the list of runs. `counts` are (label, number) by outcome, and `price` is "" if it is not known."""

    run: JudgeRun
    facts: RunFacts
    status: str
    look: str
    done: int
    total: int
    counts: Sequence[tuple[str, int]]
    price: str


def runs_of(study: Study) -> QuerySet[JudgeRun]:
    """Return the study's runs, the newest first."""
    return JudgeRun.objects.filter(rater__study=study).select_related("rater", "work", "replaced_by").order_by("-pk")


def run_rows(study: Study, runs: Sequence[JudgeRun]) -> list[RunRow]:
    """Return a row for each of these runs, in two more queries."""
    moving = [run.pk for run in runs if run.status == JudgeRun.Status.RUNNING]
    live: dict[int, Counter[str]] = {}
    if moving:
        begun = Judgment.objects.filter(
            Q(run__work__held_from=None) | Q(place__lt=F("run__work__held_from")), run__in=moving
        )
        rows = begun.values_list("run", "status", "outcome").annotate(n=Count("pk"))
        for pk, status, outcome, n in rows:
            live.setdefault(pk, Counter())[outcome or status] += n
    names = {charge_name(run): run.pk for run in runs if run.price is None}
    budgets = Budget.objects.filter(study=study, run__in=names).values_list("run", "spent") if names else ()
    spent = {names[name]: amount for name, amount in budgets}
    return [_run_row(run, live.get(run.pk), spent.get(run.pk)) for run in runs]


def _run_row(run: JudgeRun, live: Mapping[str, int] | None, spent: int | None) -> RunRow:
    work: RunWork | None = getattr(run, "work", None)
    counts = live if live is not None else stored_counts(run)
    price = run.price if run.price is not None else spent
    return RunRow(
        run, RunFacts.of(run), status_words(run, work), look_of(run, work), _done(counts), expected(work, counts),
        [(outcome_label(key), n) for key, n in in_order(counts) if key not in NOT_OVER or key == "failed"],
        "" if price is None else amount(price),
    )  # fmt: skip


def stored_counts(run: JudgeRun) -> dict[str, int]:
    """Return the counts in the row of a run, which an imported one may lack."""
    given = run.counts if isinstance(run.counts, dict) else {}
    return {str(key): n for key, n in given.items() if isinstance(n, int)}


def in_order(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the counts in the order of OUTCOMES, then unknown ones."""
    places = list(OUTCOMES)
    return sorted(counts.items(), key=lambda one: (places.index(one[0]) if one[0] in places else len(places), one[0]))


def _done(counts: Mapping[str, int]) -> int:
    return sum(n for key, n in counts.items() if key not in NOT_OVER)


def outcome_label(key: str) -> str:
    """Return an outcome for people; those of metrics are their own."""
    return OUTCOMES.get(key) or key.replace("_", " ").capitalize()


def expected(work: RunWork | None, counts: Mapping[str, int]) -> int:
    """Return how many judgments a run has, or will have once all are made."""
    made = sum(counts.values())
    if work is None or work.status == RowStatus.DONE:
        return made
    planned = int((work.estimate or {}).get("judgments", 0)) if not work.pilot else 0
    return max(made, planned)


def is_pilot_done(run: JudgeRun, work: RunWork | None) -> bool:
    """Return whether a run waits for somebody to look at its pilot."""
    stopped = run.status == JudgeRun.Status.STOPPED
    return bool(stopped and work and work.pilot and work.message.startswith(PILOT_DONE.format(work.pilot)))


def status_words(run: JudgeRun, work: RunWork | None) -> str:
    """Return the status of a run for people."""
    if is_pilot_done(run, work):
        return "Pilot done"
    if run.status == JudgeRun.Status.RUNNING and work is not None and work.pilot:
        return "Running the pilot"
    return str(run.get_status_display())


def look_of(run: JudgeRun, work: RunWork | None) -> str:
    """Return the class that a page gives to the status."""
    if run.status == JudgeRun.Status.RUNNING:
        return "live"
    return "paused" if run.status in RESUMABLE or is_pilot_done(run, work) else ""


@dataclass(frozen=True)
class OutcomeCount:
    """How many judgments of a run have an outcome; `address` lists them, if they are rows."""

    label: str
    count: int
    address: str


@dataclass(frozen=True)
class ReasonCount:
    """How many judgments have no value for a reason; `address` lists them."""

    outcome: str
    reason: str
    count: int
    address: str


@dataclass(frozen=True)
class RunState:
    """How far a run is.

    `rate` is judgments per minute; `time_left` is "" if it is not known; `spent`, `reserved` and `cap` are amounts, ""
    if there is none. `more_reasons` says that there are rarer reasons, which are not listed. `left_to_ask` judgments
    have no valid reading, if the run is over and any has an outcome without one; they can be asked again.
    """

    status: str
    look: str
    message: str
    is_running: bool
    is_preparing: bool
    pilot_done: bool
    out_of_budget: bool
    can_resume: bool
    done: int
    total: int
    rate: float | None
    time_left: str
    spent: str
    reserved: str
    cap: str
    share: int
    outcomes: Sequence[OutcomeCount]
    reasons: Sequence[ReasonCount]
    more_reasons: bool
    left_to_ask: int


def run_state(study: Study, run: JudgeRun, work: RunWork | None) -> RunState:
    """Return how far a run is, in at most five queries whatever its size."""
    facts = RunFacts.of(run)
    has_rows = work is not None and facts.has_judgments
    counts = outcome_counts(run) if has_rows else stored_counts(run)
    done, total, running = _done(counts), expected(work, counts), run.status == JudgeRun.Status.RUNNING
    rate = minute_rate(run) if running and done else None
    left = (total - done) * 60 / rate if rate and total > done else None
    budget = Budget.objects.filter(study=study, run=charge_name(run)).first() if work is not None else None
    reasons = (
        reason_counts(run) if has_rows and any(key not in ("valid", "queued", "running") for key in counts) else []
    )
    spent = budget.spent if budget else run.price
    return RunState(
        status_words(run, work), look_of(run, work), (work.message or work.reason) if work else "", running,
        running and work is not None and work.status != RowStatus.DONE and not total, is_pilot_done(run, work),
        run.status == JudgeRun.Status.OUT_OF_BUDGET, work is not None and run.status in RESUMABLE, done, total, rate,
        about_time(left), "" if spent is None else amount_text(spent),
        amount_text(budget.reserved) if budget and budget.reserved else "",
        "" if budget is None or budget.cap is None else amount_text(budget.cap), _share(budget),
        [
            OutcomeCount(outcome_label(key), n, f"?{urlencode({'outcome': key})}" if has_rows else "")
            for key, n in in_order(counts)
        ],
        reasons[:MOST_REASONS], len(reasons) > MOST_REASONS,
        _left_to_ask(counts) if has_rows and not running else 0,
    )  # fmt: skip


def _left_to_ask(counts: Mapping[str, int]) -> int:
    """Return how many judgments have no valid reading, if asking again may give one to any that has an outcome."""
    without = sum(n for key, n in counts.items() if key in Judgment.Outcome.values and key != Judgment.Outcome.VALID)
    return sum(counts.values()) - counts.get(Judgment.Outcome.VALID, 0) if without else 0


def _share(budget: Budget | None) -> int:
    if budget is None or not budget.cap:
        return 0
    return min(100 * (budget.spent + budget.reserved) // budget.cap, 100)


def reason_counts(run: JudgeRun) -> list[ReasonCount]:
    """Return why judgments have no value, the most frequent reasons first; an index has all that is read."""
    rows = Judgment.objects.filter(HAS_REASON, run=run).annotate(why=REASON_START)
    counted = rows.values_list("status", "outcome", "why").annotate(n=Count("pk")).order_by("-n", "outcome", "why")
    return [
        ReasonCount(
            OUTCOMES[outcome or status],
            why + "\u2026" * (len(why) == REASON_LENGTH),
            n,
            f"?{urlencode({'outcome': outcome or status, 'reason': why})}",
        )
        for status, outcome, why, n in counted[: MOST_REASONS + 1]
    ]


def minute_rate(run: JudgeRun) -> float | None:
    """Return how many judgments a minute end now, or None if none has ended lately."""
    waiting = Judgment.objects.filter(run=run, status=RowStatus.QUEUED, outcome="").order_by("place")
    first = waiting.values_list("place", flat=True).first()
    rows = Judgment.objects.filter(run=run)
    rows = rows if first is None else rows.filter(place__lt=first)
    times = rows.order_by("-place").values_list("ended_at", flat=True)[:RATED_ROWS]
    now = database_now()
    lately = [one for one in times if one is not None and one > now - timedelta(seconds=RATED_SECONDS)]
    if not lately:
        return None
    return 60 * len(lately) / max((now - min(lately)).total_seconds(), 1.0)


@dataclass(frozen=True)
class ConfigurationLine:
    """A line about a run's configuration: a name, and a text or several."""

    name: str
    values: Sequence[str]
    is_code: bool = False


def configuration_lines(facts: RunFacts, work: RunWork | None, names: Names = OWN_NAMES) -> list[ConfigurationLine]:
    """Return what a run was told, for people; options of its protocol come by their names."""
    given, subset = facts.configuration, facts.configuration.get("subset")
    lines = [
        ConfigurationLine("Model sent as", [_text(given.get("model_asked"))], is_code=True),
        ConfigurationLine("Questions", facts.questions, is_code=True),
        *(ConfigurationLine(f"Text for {key}", [_text(text)]) for key, text in _items(given.get("texts"))),
        *(ConfigurationLine(_title(key), [_text(value)]) for key, value in _options(facts)),
        ConfigurationLine("References by", [_text(one) for one in given.get("references") or ()]),
        ConfigurationLine("Pairs with", [_text(names.shown(given.get("baseline")))]),
        ConfigurationLine("Units", [f"{subset:,} drawn" if isinstance(subset, int) else "all"]),
        ConfigurationLine("Reruns", [_text(given.get("replicates"))]),
        ConfigurationLine("Seed", [_text(given.get("seed"))]),
        ConfigurationLine("Guidelines shown", [_text(given.get("guidelines_version"))]),
        *(ConfigurationLine(f"Prompt {key}", [_prompt(to)], is_code=True) for key, to in _items(given.get("prompts"))),
    ] if given else []  # fmt: skip
    if work is not None and facts.has_judgments:
        figures = work.estimate or {}
        lines.append(
            ConfigurationLine("Budget", ["as far as it goes" if work.partly else "whole price reserved first"])
        )
        lines.append(ConfigurationLine("Estimated judgments", [_number(figures.get("judgments"))]))
        lines.append(ConfigurationLine("Estimated price", [_price(figures.get("price"))]))
    return [line for line in lines if any(line.values)]


def _items(given: Any) -> Sequence[tuple[str, Any]]:
    return sorted(given.items()) if isinstance(given, dict) else ()


def _options(facts: RunFacts) -> Sequence[tuple[str, Any]]:
    """Return the options in the order in which the protocol has them."""
    choice = judge_choice(str(facts.configuration.get("protocol") or ""))
    order = list(choice.options) if choice else []
    found = _items(facts.configuration.get("options"))
    return sorted(found, key=lambda one: order.index(one[0]) if one[0] in order else len(order))


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else ""


def _price(value: Any) -> str:
    return f"{amount_text(value)} at most" if isinstance(value, int) else ""


def _text(value: Any) -> str:
    if value is None:
        return ""
    return "yes" if value is True else "no" if value is False else str(value)


def _title(key: str) -> str:
    return key.replace("_", " ").capitalize()


def _prompt(said: Any) -> str:
    if not isinstance(said, dict):
        return ""
    return f"version {said.get('version', '')}, {str(said.get('digest', ''))[:12]}"


def replacements(study: Study, run: JudgeRun) -> list[tuple[str, str]]:
    """Return the finished runs that may replace a run, as choices, the newest first."""
    rows = runs_of(study).filter(status=JudgeRun.Status.FINISHED, replaced_by=None).exclude(pk=run.pk)
    return [(str(one.pk), f"{one.rater.name}, run {one.name}, {day(one.ended_at)}") for one in rows[:MOST_REPLACEMENTS]]


def about_time(seconds: float | None) -> str:
    """Return a duration in words, on the high side, or "" if it is not known."""
    if seconds is None:
        return ""
    for length, several in ((DAY, "days"), (HOUR, "hours"), (MINUTE, "min")):
        if seconds >= 2 * length:
            return f"about {math.ceil(seconds / length):,} {several}"
    return "about a minute" if seconds > MINUTE / 2 else "less than a minute"


def day(at: datetime | None) -> str:
    """Return a date as pages write it."""
    return "" if at is None else f"{at.day} {at:%b %Y}"
