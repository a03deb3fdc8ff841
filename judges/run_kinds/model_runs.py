"""Runs of judges that ask a language model: their judgments are rows, and their calls have a price."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db.models import Count, Sum

from annotation.models import JudgeRun, Rater, Study
from config.background.claiming import Claim
from config.background.rows import WAITING
from judges.configuration import ConfigurationRefusedError, RunConfiguration
from judges.estimates import estimate_of
from judges.judgment_planning import plan_judgments
from judges.models import Judgment, RunWork
from judges.rereading import copy_judgments, kept_judgments
from judges.run_context import charge_name, run_context
from judges.run_kind import RunKind
from judges.units import planned_units
from llm import budgets
from llm.call_errors import CallError
from llm.endpoints import find_model
from llm.models import Call
from llm.requests import Charge

MOST_THREADS = 64


class ModelRuns(RunKind):
    """Reserves the budget of a run and makes its judgments, which ask the model one by one."""

    key = "protocol"
    rater_kind = Rater.Kind.MODEL

    def rater_name(self, configuration: Mapping[str, Any]) -> str:
        return f"{configuration['protocol']}/{configuration['model']}"

    def work_on(self, claim: Claim) -> None:
        configuration = run_context(claim.row.run_id).configuration
        if configuration.reread_of:
            copy_judgments(claim.row)
        elif configuration.asks_again:
            _reserve(claim)
            copy_judgments(claim.row)
        else:
            _reserve(claim)
            plan_judgments(claim)

    def has_units(self, study: Study, configuration: Mapping[str, Any]) -> bool:
        whole = replace(RunConfiguration.of(configuration), subset=None)
        return next(planned_units(study, whole), None) is not None

    def check_resumable(self, run: JudgeRun) -> None:
        """Raise ConfigurationRefusedError unless the endpoints file still has the model of the configuration."""
        configuration = RunConfiguration.of(run.configuration)
        if configuration.reread_of:
            return
        try:
            endpoint, model = find_model(configuration.model)
        except CallError as problem:
            raise ConfigurationRefusedError(problem.reason, "model") from None
        if (model.asked, endpoint.scripted) != (configuration.model_asked, configuration.scripted):
            raise ConfigurationRefusedError(
                f"{configuration.model} is now {model.asked}; this run began with {configuration.model_asked}. "
                "Start a new run, so that no run mixes two models.", "model",
            )  # fmt: skip

    def threads(self, run: JudgeRun) -> int:
        if run.configuration["reread_of"]:
            return 1
        return min(find_model(run.configuration["model"])[0].in_flight, MOST_THREADS)

    def done(self, run: JudgeRun) -> int:
        return Judgment.objects.filter(run=run).exclude(status__in=WAITING).count()

    def sums(self, run: JudgeRun) -> Mapping[str, Any]:
        calls = Call.objects.filter(study=run.rater.study, run=charge_name(run))
        found = calls.aggregate(tokens_in=Sum("tokens_in"), tokens_out=Sum("tokens_out"), price=Sum("price_charged"))
        return {"counts": outcome_counts(run), **{name: value or 0 for name, value in found.items()}}


def outcome_counts(run: JudgeRun) -> Mapping[str, int]:
    """Return the number of judgments by outcome, `failed` and `stopped` for those without one; not of held ones."""
    judgments, held_from = (
        Judgment.objects.filter(run=run),
        RunWork.objects.values_list("held_from", flat=True).get(run=run),
    )
    if held_from is not None:
        judgments = judgments.filter(place__lt=held_from)
    rows = judgments.values_list("status", "outcome").annotate(n=Count("pk"))
    found: Counter[str] = Counter()
    for status, outcome, n in rows:
        found[outcome or status] += n
    return dict(sorted(found.items()))


def _reserve(claim: Claim) -> None:
    """Reserve what is expected to be spent on what is not judged yet."""
    work: RunWork = claim.row
    context = run_context(work.run_id)
    if work.reservation_id is not None:
        return
    found, done = estimate_of(context), work.run.judgments.exclude(outcome="").count()
    if context.configuration.asks_again:
        kept, done = kept_judgments(work), 0
        found = found.without(kept)
    claim.update(estimate=found.as_json())
    if work.partly or not found.price:
        return
    left = found.price - found.price * done // max(found.judgments, 1)
    charge = Charge(context.study, context.charge_name)
    claim.update(reservation=budgets.reserve_batch(charge, left))


RUN_KIND = ModelRuns()
