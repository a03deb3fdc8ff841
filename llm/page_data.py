"""Data for the pages about models: endpoints without their secrets, queues, budgets and calls."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models import Count, F, IntegerField, Max, Min, Q, Value

from annotation.models import Membership, Rater, Study
from config.background.kinds import QueueState, Work, works
from config.background.rows import Row, Status
from config.database_clock import database_now
from llm.budgets import MILLION
from llm.call_errors import NoKeyError
from llm.endpoint_file import EndpointsInvalidError
from llm.endpoints import Endpoint, Model, endpoints, is_scripted, model_names
from llm.models import Budget, Call, EndpointState, StudyPrompt
from llm.prompt_files import Prompt, load_prompt, prompt_folders

MOST_BUDGETS = 50
NAMED = ("endpoint", "model", "scripted")


@dataclass(frozen=True)
class ModelRow:
    """A model; prices are per million tokens, "" if the operator set none."""

    name: str
    asked: str
    api: str
    context: int | None
    price_in: str
    price_out: str
    logprobs: int
    supports: tuple[str, ...]


@dataclass(frozen=True)
class Pause:
    """Until when calls in a lane are paused, and why."""

    lane: str
    until: datetime | None
    message: str


@dataclass(frozen=True)
class EndpointRow:
    """An endpoint without its address and key. `key` is "set", "missing" or "not needed"."""

    name: str
    built_in: bool
    scripted: bool
    key: str
    in_flight: int
    most_in_flight: int
    per_minute: int | None
    pauses: tuple[Pause, ...]
    models: tuple[ModelRow, ...]


@dataclass(frozen=True)
class QueueRow:
    """The queue of one kind of background work of a study."""

    label: str
    state: QueueState


@dataclass(frozen=True)
class BudgetRow:
    """A budget; `left` is "" without a limit, and `share` is the used part of the limit in percent."""

    of: str
    kind: str
    cap: str
    reserved: str
    spent: str
    left: str
    share: int


def endpoint_rows() -> list[EndpointRow] | None:
    """Return all endpoints with their current calls, or None if the operator's file is invalid."""
    try:
        known = endpoints()
    except EndpointsInvalidError:
        return None
    paused: dict[str, list[Pause]] = {}
    for state in EndpointState.objects.filter(open_until__gt=database_now()).order_by("lane"):
        paused.setdefault(state.name, []).append(Pause(state.get_lane_display(), state.open_until, state.message))
    running = Call.objects.filter(status=Call.Status.RUNNING, lease_until__gt=database_now())
    in_flight_by_name = dict(running.values_list("endpoint").annotate(Count("pk")))
    return [_endpoint_row(one, paused.get(name, []), in_flight_by_name.get(name, 0)) for name, one in known.items()]


def _endpoint_row(endpoint: Endpoint, paused: Sequence[Pause], in_flight: int) -> EndpointRow:
    return EndpointRow(
        endpoint.name, endpoint.built_in, endpoint.scripted, _key_state(endpoint), in_flight, endpoint.in_flight,
        endpoint.requests_per_minute, tuple(paused),
        tuple(_model_row(endpoint, model) for model in endpoint.models.values()),
    )  # fmt: skip


def _key_state(endpoint: Endpoint) -> str:
    try:
        return "set" if endpoint.key() else "not needed"
    except NoKeyError:
        return "missing"


def _model_row(endpoint: Endpoint, model: Model) -> ModelRow:
    return ModelRow(
        f"{endpoint.name}/{model.name}", model.asked, model.api, model.context, _price(model.price_in),
        _price(model.price_out), model.logprobs, tuple(sorted(model.supports)),
    )  # fmt: skip


def with_mark(name: str, scripted: bool) -> str:
    """Return a model's name for a list of choices, with a mark if its endpoint follows a script."""
    return f"{name} (scripted, not a language model)" if scripted else name


def model_choices() -> list[tuple[str, str]]:
    """Return (name, name for people) of all models; none if the operator's file is invalid."""
    try:
        return [(name, with_mark(name, is_scripted(name))) for name in model_names()]
    except EndpointsInvalidError:
        return []


def _price(price: Decimal | None) -> str:
    return "" if price is None else f"{price:,.2f}"


def queue_rows(study: Study) -> list[QueueRow]:
    """Return the study's background work by kind, sorted by name."""
    counted = [work for work in works().values() if work.queue_state is None and _study_lookup(work.model)]
    found = [
        QueueRow(str(work.model._meta.verbose_name), work.queue_state(study))
        for work in works().values()
        if work.queue_state
    ]
    found += [QueueRow(str(work.model._meta.verbose_name), state) for work, state in _states(counted, study)]
    return sorted(found, key=lambda kind: kind.label)


def _study_lookup(model: type[Row]) -> str:
    """Return the lookup from a row to its study over at most one relation, or "" if there is none."""
    if _leads_to_study(model):
        return "study"
    for field in model._meta.get_fields():
        if isinstance(field, models.ForeignKey) and _leads_to_study(field.related_model):
            return f"{field.name}__study"
    return ""


def _leads_to_study(model: Any) -> bool:
    try:
        return model._meta.get_field("study").related_model is Study
    except FieldDoesNotExist:
        return False


def _states(counted: Sequence[Work], study: Study) -> Iterator[tuple[Work, QueueState]]:
    """Count all kinds in one query; another one reads the last failure of each kind that has any."""
    parts = [
        _rows(work, study)
        .order_by()
        .values_list(Value(place, IntegerField()), "status")
        .annotate(Count("pk"), Min("created_at"), Max("ended_at"))
        for place, work in enumerate(counted)
    ]
    by_kind: dict[int, dict[str, tuple[int, datetime, datetime | None]]] = {}
    for place, status, *figures in parts[0].union(*parts[1:], all=True) if parts else ():
        by_kind.setdefault(place, {})[status] = tuple(figures)
    for place, work in enumerate(counted):
        yield work, _state(work, study, by_kind.get(place, {}))


def _rows(work: Work, study: Study) -> Any:
    return work.model._default_manager.filter(**{_study_lookup(work.model): study})


def _state(work: Work, study: Study, found: Mapping[str, tuple[int, datetime, datetime | None]]) -> QueueState:
    waiting, oldest, _ = found.get(Status.QUEUED, (0, None, None))
    failed, _, last_failed = found.get(Status.FAILED, (0, None, None))
    running = found[Status.RUNNING][0] if Status.RUNNING in found else 0
    last = None
    if failed:
        failures = _rows(work, study).filter(status=Status.FAILED)
        last = failures.order_by("-ended_at", "-pk").values_list("reason", flat=True).first()
    return QueueState(
        waiting=waiting, running=running, failed=failed, oldest=oldest, last_failed=last_failed, reason=last or ""
    )  # fmt: skip


def budget_rows(study: Study) -> tuple[list[BudgetRow], bool]:
    """Return the budgets of the study, its people and its runs, highest spending first, and whether there are more."""
    rows = Budget.objects.filter(study=study).select_related("person")
    whole = next((row for row in rows.filter(run="", person=None)), Budget(study=study))
    rest = list(rows.exclude(run="", person=None).order_by("run", F("spent").desc(), "pk")[: MOST_BUDGETS + 1])
    return [_budget_row(row) for row in [whole, *rest[:MOST_BUDGETS]]], len(rest) > MOST_BUDGETS


def _budget_row(row: Budget) -> BudgetRow:
    taken = row.spent + row.reserved
    kind = "run" if row.run else "person" if row.person else "study"
    return BudgetRow(
        row.run or str(row.person or ""), kind, "" if row.cap is None else amount(row.cap), amount(row.reserved),
        amount(row.spent), "" if row.cap is None else amount(max(row.cap - taken, 0)),
        0 if not row.cap else min(100 * taken // row.cap, 100),
    )  # fmt: skip


def amount(millionths: int, places: int = 4) -> str:
    """Return an amount in units of the currency with a fixed number of decimals, so that columns align."""
    return f"{Decimal(millionths) / MILLION:,.{places}f}"


def limit_scopes(study: Study) -> list[tuple[str, str]]:
    """Return the choices of what an owner can limit: the study, one run, or one member."""
    members = Membership.objects.filter(study=study, active=True).select_related("person")
    people = [
        (f"person-{member.person_id}", f"{member.person} ({member.role})")
        for member in sorted(members, key=lambda member: member.person.username)
    ]
    return [("study", "The whole study"), ("run", "One run"), *people]


@dataclass(frozen=True)
class LedgerFilters:
    """The filters in the address of the ledger; "" means any."""

    status: str = ""
    model: str = ""
    run: str = ""
    step: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "LedgerFilters":
        return cls(*(query.get(name, "").replace("\0", "") for name in ("status", "model", "run", "step")))

    def calls(self, study: Study) -> "models.QuerySet[Call]":
        """Return the matching calls of the study, newest first, without their texts."""
        rows = Call.objects.filter(study=study).order_by("-pk")
        wanted = {"status": self.status, "run": self.run}
        if self.model:
            wanted["endpoint"], _, wanted["model"] = self.model.partition("/")
        rows = rows.filter(**{name: value for name, value in wanted.items() if value})
        if self.step:
            rows = rows.filter(Q(step=self.step) | Q(step__startswith=f"{self.step} "))
        return rows.defer("messages", "raw", "text", "thinking", "logprobs", "parameters", "refusal")

    def query(self) -> dict[str, str]:
        """Return the filters as the query of an address."""
        return {name: value for name, value in vars(self).items() if value}


@dataclass(frozen=True)
class FilterChoices:
    """The values by which a study's ledger can be filtered."""

    statuses: Sequence[tuple[str, str]]
    models: Sequence[tuple[str, str]]
    runs: Sequence[str]
    steps: Sequence[str]


def filter_choices(study: Study) -> FilterChoices:
    """Return the models, the first words of steps, and the latest runs in the study's ledger."""
    calls = Call.objects.filter(study=study).order_by()
    found = {f"{endpoint}/{model}": scripted for endpoint, model, scripted in calls.values_list(*NAMED).distinct()}
    named = [(name, with_mark(name, scripted)) for name, scripted in sorted(found.items())]
    runs = calls.exclude(run="").values("run").annotate(last=Max("pk")).order_by("-last")
    steps = sorted({step.split(" ")[0] for step in calls.exclude(step="").values_list("step", flat=True).distinct()})
    return FilterChoices(Call.Status.choices, named, [row["run"] for row in runs[:MOST_BUDGETS]], steps)


@dataclass(frozen=True)
class CallRow:
    """A call with its price and its seconds, "" while it runs."""

    row: Call
    price: str
    seconds: str


def call_row(call: Call) -> CallRow:
    """Return a call with its price and duration."""
    price = call.price_reserved if call.price_charged is None else call.price_charged
    seconds = "" if call.ended_at is None else f"{(call.ended_at - call.started_at).total_seconds():.1f}"
    return CallRow(call, amount(price, 6), seconds)


def caused_by(call: Call) -> str:
    """Return who caused a call: a rater by their pseudonym, anybody else by name."""
    if call.person is None:
        return ""
    rater = Rater.objects.filter(study=call.study_id, person=call.person).values_list("name", flat=True).first()
    return rater or str(call.person)


@dataclass(frozen=True)
class PromptRow:
    """A prompt: the default, and the study's newest version if it has its own."""

    app: str
    name: str
    default: Prompt
    own: StudyPrompt | None

    @property
    def digest(self) -> str:
        return self.own.digest if self.own else self.default.digest


def prompt_rows(study: Study) -> list[PromptRow]:
    """Return all prompts by app and name, with the study's own versions."""
    own = {one.key: one for one in StudyPrompt.objects.filter(study=study).order_by("number")}
    found = []
    for app, folder in prompt_folders().items():
        for path in sorted(folder.glob("*.md")):
            default = load_prompt(app, path.stem)
            found.append(PromptRow(app, path.stem, default, own.get(default.key)))
    return found


def versions_of(study: Study, app: str, name: str) -> list[StudyPrompt]:
    """Return the study's own versions of a prompt, newest first."""
    rows = StudyPrompt.objects.filter(study=study, key=f"{app}/{name}").select_related("created_by")
    return list(rows.order_by("-number"))
