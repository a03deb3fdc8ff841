"""Start, stop, resume and end steps: the only writer of their state. A step's calls are rows of background work."""

from uuid import UUID

from django.db import transaction
from django.db.models import Max

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from annotation.studies.locking import lock_study
from config.background.kinds import works
from config.background.rows import WAITING
from config.background.rows import Status as RowStatus
from config.background.waking import enqueue
from config.database_clock import database_now
from llm import budgets
from llm.call_errors import BudgetError, CallError
from llm.endpoints import find_model
from llm.requests import Charge
from parts.preparing.models import InstructionTrial, PreparationCall, PreparationStep, PreparedText
from parts.preparing.step_configuration import PreparationRefusedError, StepConfiguration
from parts.preparing.step_planning import checked_estimate, planned_cases

WORK_KEY = "preparation"
WOKEN_AT_ONCE = 100
"""Calls of which workers are notified at once; the sweep notifies them of the others."""
STOPPED = "The step was stopped."
SOME_FAILED = "{:,} calls failed. Resume the step to try them again."
NOT_A_DRAFT = "The study is {}. Only a draft study can be prepared."
OTHER_MODEL = "{} is now {}; this step began with {}. Start a new step, so that no step mixes two models."
SYSTEM_TAKEN = "The study has texts of {} from another model or with other parameters. Choose another id."
Status = PreparationStep.Status
RESUMABLE = (Status.STOPPED, Status.OUT_OF_BUDGET)
IDENTITY = ("model", "temperature", "top_p", "max_tokens", "seed", "generic", "prompts")
"""What all steps of one system have in common."""


def lock_draft(study: Study) -> Study:
    """Lock a study and return it. Raises PreparationRefusedError unless it is a draft."""
    locked = lock_study(study.pk)
    if locked.status != Study.Status.DRAFT:
        raise PreparationRefusedError(NOT_A_DRAFT.format(locked.status))
    return locked


def start_step(
    study: Study,
    configuration: StepConfiguration,
    actor: Person | None,
    *,
    budget: int | None = None,
    trial: InstructionTrial | None = None,
    client_key: UUID | None = None,
) -> PreparationStep:
    """Make a step of a pinned configuration, reserve what it is expected to cost, and queue its calls.

    `budget` is the most that it may cost, in millionths of the currency. The same `client_key` again returns the step
    that it made. Raises PreparationRefusedError, also if the price does not fit a budget.
    """
    with transaction.atomic():
        locked = lock_draft(study)
        made = None if client_key is None else PreparationStep.objects.filter(client_key=client_key).first()
        if made is not None:
            return made
        _refuse_other_system(locked, configuration)
        cases = planned_cases(locked, configuration, trial)
        estimate = checked_estimate(locked, configuration, cases)
        number = (locked.preparation_steps.aggregate(last=Max("number"))["last"] or 0) + 1
        step = PreparationStep.objects.create(
            study=locked, number=number, kind=configuration.kind, trial=trial, configuration=configuration.as_json(),
            estimate=estimate.as_json(), client_key=client_key,
        )  # fmt: skip
        record("preparation started", step.charge_name, actor=actor, study=locked.slug, new={
            "kind": step.kind, "model": configuration.model, "calls": estimate.calls, "budget": budget,
        })  # fmt: skip
        if budget is not None:
            budgets.set_cap(locked, budget, actor, run=step.charge_name)
        _reserve(step, estimate.price)
        calls = PreparationCall.objects.bulk_create(
            PreparationCall(step=step, place=place, document=case.document, suggestion=case.suggestion)
            for place, case in enumerate(cases)
        )
        enqueue(works()[WORK_KEY], *calls[:WOKEN_AT_ONCE])
    return step


def stop_step(step: PreparationStep, actor: Person | None) -> bool:
    """Start no more calls of a step; running ones end within seconds. Return False if it was not running."""
    with transaction.atomic():
        if not _locked(step, Status.RUNNING):
            return False
        _halt(step, Status.STOPPED, STOPPED)
        record("preparation stopped", step.charge_name, actor=actor, study=step.study.slug)
    return True


def stop_for(step: PreparationStep, reason: str) -> None:
    """Stop a step for a reason that people must look at before it goes on."""
    with transaction.atomic():
        if _locked(step, Status.RUNNING):
            _halt(step, Status.STOPPED, reason)
            record("preparation stopped", step.charge_name, actor=None, study=step.study.slug)


def pause_for_budget(step: PreparationStep, reason: str) -> None:
    """Stop a step whose budget allows no more calls; it can be resumed when the limit is raised."""
    with transaction.atomic():
        if _locked(step, Status.RUNNING):
            _halt(step, Status.OUT_OF_BUDGET, reason)
            record("preparation out of budget", step.charge_name, actor=None, study=step.study.slug)


def resume_step(step: PreparationStep, actor: Person | None) -> bool:
    """Queue the calls of a step that have no outcome; return False if it is running or finished.

    Calls that the ledger has answered are not made again. Raises PreparationRefusedError.
    """
    _check_model(step)
    with transaction.atomic():
        lock_draft(step.study)
        if not _locked(step, *RESUMABLE):
            return False
        mine, now = PreparationCall.objects.filter(step=step), database_now()
        mine.filter(status=RowStatus.RUNNING).update(stop_asked=False)
        again = mine.filter(status__in=[RowStatus.STOPPED, RowStatus.FAILED])
        keys = list(again.order_by("place").values_list("pk", flat=True))
        again.update(
            status=RowStatus.QUEUED, attempt=0, token=None, lease_until=None, due_at=now, woken_at=None,
            stop_asked=False, reason="", ended_at=None,
        )  # fmt: skip
        left = mine.filter(outcome="").count()
        price = (step.estimate or {}).get("price", 0)
        _reserve(step, price * left // max(mine.count(), 1))
        PreparationStep.objects.filter(pk=step.pk).update(status=Status.RUNNING, message="")
        enqueue(works()[WORK_KEY], *PreparationCall.objects.filter(pk__in=keys[:WOKEN_AT_ONCE]))
        record("preparation resumed", step.charge_name, actor=actor, study=step.study.slug)
    step.refresh_from_db()
    return True


def end_if_over(step: PreparationStep) -> bool:
    """End a running step if no call waits: finished if all have an outcome, else stopped. Return whether it has ended.

    A reservation that is still needed is kept alive.
    """
    with transaction.atomic():
        if not _locked(step, Status.RUNNING):
            return False
        mine = PreparationCall.objects.filter(step=step)
        if mine.filter(status__in=WAITING).exists():
            if step.reservation is not None:
                budgets.extend(step.reservation)
            return False
        failed = mine.filter(outcome="").count()
        step.status = Status.STOPPED if failed else Status.FINISHED
        step.message = SOME_FAILED.format(failed) if failed else ""
        step.save(update_fields=["status", "message"])
        _release(step)
    return True


def _refuse_other_system(study: Study, configuration: StepConfiguration) -> None:
    """Refuse an answering step if texts of its system were written otherwise, or edited by a person."""
    if not configuration.system:
        return
    written = PreparedText.objects.filter(study=study, role=configuration.role, key=configuration.system)
    mine = {name: configuration.as_json()[name] for name in IDENTITY}
    others = PreparationStep.objects.filter(study=study, kind=configuration.kind).values_list(
        "configuration", flat=True
    )
    same_id = [one for one in others if (one["system"], one["role"]) == (configuration.system, configuration.role)]
    if any({name: one[name] for name in IDENTITY} != mine for one in same_id):
        raise PreparationRefusedError(SYSTEM_TAKEN.format(configuration.system), "system")
    if written.filter(step=None).exists():
        raise PreparationRefusedError(SYSTEM_TAKEN.format(configuration.system), "system")


def _reserve(step: PreparationStep, amount: int) -> None:
    if not amount:
        return
    try:
        step.reservation = budgets.reserve_batch(Charge(step.study, step.charge_name), amount)
    except BudgetError as problem:
        raise PreparationRefusedError(problem.reason, "budget") from None
    step.save(update_fields=["reservation"])


def _check_model(step: PreparationStep) -> None:
    configuration = StepConfiguration.of(step.configuration)
    try:
        endpoint, model = find_model(configuration.model)
    except CallError as problem:
        raise PreparationRefusedError(problem.reason) from None
    if (model.asked, endpoint.scripted) != (configuration.model_asked, configuration.scripted):
        raise PreparationRefusedError(OTHER_MODEL.format(configuration.model, model.asked, configuration.model_asked))


def _locked(step: PreparationStep, *states: str) -> bool:
    """Lock a step's row until the transaction ends; return whether it is in one of these states."""
    found = PreparationStep.objects.select_for_update(no_key=True).get(pk=step.pk)
    step.status, step.reservation_id = found.status, found.reservation_id
    return found.status in states


def _halt(step: PreparationStep, status: str, reason: str) -> None:
    now, rows = database_now(), PreparationCall.objects.filter(step=step)
    rows.filter(status=RowStatus.QUEUED).update(
        status=RowStatus.STOPPED, token=None, lease_until=None, reason=reason, ended_at=now
    )
    rows.filter(status=RowStatus.RUNNING).update(stop_asked=True)
    PreparationStep.objects.filter(pk=step.pk).update(status=status, message=reason)
    step.status, step.message = status, reason
    _release(step)


def _release(step: PreparationStep) -> None:
    """Give back what a step that has ended had reserved and not spent."""
    if step.reservation is not None:
        budgets.close(step.reservation)
