"""What the pages about models show: endpoints without their secrets, queues, budgets, and calls with their figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models import Count, F, Max, Min, Q
from django.utils import timezone

from annotation.models import Membership, Rater, Study
from config.background.rows import Row, Status
from config.background.work import works
from llm.budgets import MILLION
from llm.endpoint_file import EndpointsInvalidError
from llm.endpoints import Endpoint, Model, endpoints
from llm.errors import NoKeyError
from llm.models import Budget, Call, EndpointState, StudyPrompt
from llm.prompting import Prompt, load

MOST_BUDGETS = 50


@dataclass(frozen=True)
class ShownModel:
    """A model as people choose it; prices for a million tokens, "" where the operator set none."""

    name: str
    asked: str
    context: int | None
    price_in: str
    price_out: str
    supports: tuple[str, ...]


@dataclass(frozen=True)
class ShownEndpoint:
    """An endpoint as researchers see it: neither its address nor its key. `key` is set, missing or needless."""

    name: str
    built_in: bool
    key: str
    in_flight: int
    most_in_flight: int
    a_minute: int | None
    paused_until: datetime | None
    message: str
    models: tuple[ShownModel, ...]


@dataclass(frozen=True)
class Kind:
    """How much of one kind of background work a study waits for. `oldest` began to wait first, of those not begun."""

    label: str
    waiting: int
    running: int
    failed: int
    oldest: datetime | None
    last_failed: datetime | None
    reason: str


@dataclass(frozen=True)
class ShownBudget:
    """A budget in figures; `left` is empty where there is no limit. `share` of the limit is 0 to 100."""

    of: str
    kind: str
    cap: str
    reserved: str
    spent: str
    left: str
    share: int


def endpoints_now() -> list[ShownEndpoint] | None:
    """All endpoints with what they are doing; None where the operator's file of them is not right."""
    try:
        known = endpoints()
    except EndpointsInvalidError:
        return None
    states = {state.name: state for state in EndpointState.objects.all()}
    running = Call.objects.filter(status=Call.Status.RUNNING, lease_until__gt=timezone.now())
    under_way = dict(running.values_list("endpoint").annotate(Count("pk")))
    return [_endpoint(one, states.get(name), under_way.get(name, 0)) for name, one in known.items()]


def _endpoint(endpoint: Endpoint, state: EndpointState | None, in_flight: int) -> ShownEndpoint:
    paused = state is not None and state.open_until is not None and state.open_until > timezone.now()
    return ShownEndpoint(
        endpoint.name, endpoint.built_in, _key(endpoint), in_flight, endpoint.in_flight, endpoint.requests_per_minute,
        state.open_until if paused and state else None, state.message if paused and state else "",
        tuple(_model(endpoint, model) for model in endpoint.models.values()),
    )  # fmt: skip


def _key(endpoint: Endpoint) -> str:
    try:
        return "set" if endpoint.key() else "needless"
    except NoKeyError:
        return "missing"


def _model(endpoint: Endpoint, model: Model) -> ShownModel:
    return ShownModel(
        f"{endpoint.name}/{model.name}", model.asked, model.context, _price(model.price_in), _price(model.price_out),
        tuple(sorted(model.supports)),
    )  # fmt: skip


def _price(price: Decimal | None) -> str:
    return "" if price is None else f"{price:,.2f}"


def queue_of(study: Study) -> list[Kind]:
    """The study's background work by kind, in the order of their names."""
    found = [_kind(work.model, path, study) for work in works().values() if (path := _way_to_study(work.model))]
    return sorted(found, key=lambda kind: kind.label)


def _way_to_study(model: type[Row]) -> str:
    """The lookup that leads from a row to its study, over one relation at most; "" where none does."""
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


def _kind(model: type[Row], path: str, study: Study) -> Kind:
    rows = model._default_manager.filter(**{path: study})
    queued, failed = Q(status=Status.QUEUED), Q(status=Status.FAILED)
    counts = rows.aggregate(
        waiting=Count("pk", filter=queued), running=Count("pk", filter=Q(status=Status.RUNNING)),
        failed=Count("pk", filter=failed), oldest=Min("created_at", filter=queued),
        last_failed=Max("ended_at", filter=failed),
    )  # fmt: skip
    last = rows.filter(failed).order_by("-ended_at", "-pk").values_list("reason", flat=True).first()
    return Kind(str(model._meta.verbose_name), **counts, reason=last or "")


def budgets_of(study: Study) -> tuple[list[ShownBudget], bool]:
    """The study's budget first, then people's, then runs', the dearest first; and whether there are more of them."""
    rows = Budget.objects.filter(study=study).select_related("person")
    whole = next((row for row in rows.filter(run="", person=None)), Budget(study=study))
    rest = list(rows.exclude(run="", person=None).order_by("run", F("spent").desc(), "pk")[: MOST_BUDGETS + 1])
    return [_budget(row) for row in [whole, *rest[:MOST_BUDGETS]]], len(rest) > MOST_BUDGETS


def _budget(row: Budget) -> ShownBudget:
    taken = row.spent + row.reserved
    kind = "run" if row.run else "person" if row.person else "study"
    return ShownBudget(
        row.run or str(row.person or ""), kind, "" if row.cap is None else amount(row.cap), amount(row.reserved),
        amount(row.spent), "" if row.cap is None else amount(max(row.cap - taken, 0)),
        0 if not row.cap else min(100 * taken // row.cap, 100),
    )  # fmt: skip


def amount(millionths: int, places: int = 4) -> str:
    """An amount in whole units of the currency, always with as many decimals, so that columns align."""
    return f"{Decimal(millionths) / MILLION:,.{places}f}"


def scopes_of(study: Study) -> list[tuple[str, str]]:
    """Whose spending an owner can limit: the study's, one run's, or one member's."""
    members = Membership.objects.filter(study=study, active=True).select_related("person").order_by("person__username")
    people = [(f"person-{member.person_id}", f"{member.person} ({member.role})") for member in members]
    return [("study", "The whole study"), ("run", "One run"), *people]


@dataclass(frozen=True)
class LedgerFilters:
    """What the address of the ledger asks for; "" is any."""

    status: str = ""
    model: str = ""
    run: str = ""
    step: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "LedgerFilters":
        return cls(*(query.get(name, "").replace("\0", "") for name in ("status", "model", "run", "step")))

    def calls(self, study: Study) -> "models.QuerySet[Call]":
        """The study's calls that fit, newest first, without their texts."""
        rows = Call.objects.filter(study=study).order_by("-pk")
        wanted = {"status": self.status, "run": self.run, "step": self.step}
        if self.model:
            wanted["endpoint"], _, wanted["model"] = self.model.partition("/")
        rows = rows.filter(**{name: value for name, value in wanted.items() if value})
        return rows.defer("messages", "raw", "text", "logprobs", "parameters", "refusal")

    def query(self) -> dict[str, str]:
        """What stands in an address for these filters."""
        return {name: value for name, value in vars(self).items() if value}


@dataclass(frozen=True)
class Choices:
    """What a study's ledger can be filtered by."""

    statuses: Sequence[tuple[str, str]]
    models: Sequence[str]
    runs: Sequence[str]
    steps: Sequence[str]


def choices_in(study: Study) -> Choices:
    """The models, steps and latest runs that stand in the study's ledger."""
    calls = Call.objects.filter(study=study).order_by()
    named = sorted(f"{endpoint}/{model}" for endpoint, model in calls.values_list("endpoint", "model").distinct())
    runs = calls.exclude(run="").values("run").annotate(last=Max("pk")).order_by("-last")
    steps = sorted(calls.exclude(step="").values_list("step", flat=True).distinct())
    return Choices(Call.Status.choices, named, [row["run"] for row in runs[:MOST_BUDGETS]], steps)


@dataclass(frozen=True)
class ShownCall:
    """A line of the ledger: the row, its price and how many seconds it took, "" while it runs."""

    row: Call
    price: str
    seconds: str


def shown_call(call: Call) -> ShownCall:
    """A call with its figures."""
    price = call.price_reserved if call.price_charged is None else call.price_charged
    seconds = "" if call.ended_at is None else f"{(call.ended_at - call.started_at).total_seconds():.1f}"
    return ShownCall(call, amount(price, 6), seconds)


def who_caused(call: Call) -> str:
    """An annotator by their name in files, so that no page ties the two together; whoever runs the study by name."""
    if call.person is None:
        return ""
    rater = Rater.objects.filter(study=call.study_id, person=call.person).values_list("name", flat=True).first()
    return rater or str(call.person)


@dataclass(frozen=True)
class ShownPrompt:
    """A prompt that a study can replace: as it comes with us, the study's newest version, and what is in force."""

    app: str
    name: str
    default: Prompt
    own: StudyPrompt | None

    @property
    def digest(self) -> str:
        return self.own.digest if self.own else self.default.digest


def prompts_of(study: Study) -> list[ShownPrompt]:
    """All prompts that there are, by app and name, with what the study brought for them."""
    own = {one.key: one for one in StudyPrompt.objects.filter(study=study).order_by("number")}
    found = []
    for config in apps.get_app_configs():
        for path in sorted((Path(config.path) / "prompts").glob("*.md")):
            default = load(config.name, path.stem)
            found.append(ShownPrompt(config.name, path.stem, default, own.get(default.key)))
    return found


def versions_of(study: Study, app: str, name: str) -> list[StudyPrompt]:
    """The study's own versions of a prompt, newest first."""
    rows = StudyPrompt.objects.filter(study=study, key=f"{app}/{name}").select_related("created_by")
    return list(rows.order_by("-number"))
