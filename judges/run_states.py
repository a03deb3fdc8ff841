"""Start, stop, resume and end runs. A run's judgments are rows of background work, many of which change at once."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from accounts.auditing import record
from accounts.models import Person
from annotation.erasing import RUN_REPLACED, all_erasing
from annotation.models import JudgeRun, Study
from annotation.studies.locking import lock_study
from config.background.claiming import requeue
from config.background.kinds import works
from config.background.rows import WAITING
from config.background.rows import Status as RowStatus
from config.background.waking import enqueue
from config.database_clock import database_now
from judges.configuration import ConfigurationRefusedError, rater_for, run_name
from judges.models import IS_FAILED, Judgment, RunWork
from judges.probing import probe_result
from judges.run_context import charge_name
from judges.run_kind import AnyConfiguration, kind_of
from llm import budgets
from llm.hopeless_calls import cut_off_reason
from llm.models import Call

WORK_KEY = "run"
STOPPED = "The run was stopped."
Status = JudgeRun.Status
RESUMABLE = (Status.STOPPED, Status.OUT_OF_BUDGET)
PILOT_DONE = "The pilot of {:,} units is done. Look at it, then resume the run to judge the others."
OTHER_NAMES = "The provider answered under several names: {}. It may have changed the model during the run."
IMPORTED = "This run was imported, so it can only be stopped or resumed where it was made. Start a new run here."
SOME_FAILED = "{:,} judgments failed. Resume the run to try them again."
AT_ONCE = 1000


def start_run(
    study: Study,
    configuration: AnyConfiguration,
    actor: Person | None,
    *,
    budget: int | None = None,
    partly: bool = False,
    pilot: int = 0,
    client_key: UUID | None = None,
) -> JudgeRun:
    """Make a run of a checked configuration and queue its work; return the run.

    `budget` is the most that the run may cost, in millionths of the currency. What it is expected to cost is reserved
    before its first call, unless it may stop `partly` done where the budget ends. With a `pilot` it stops after that
    many units and waits to be resumed. Only judges that ask a model take these. The same `client_key` again returns the
    run that it made. Raises ConfigurationRefusedError if
    there is nothing to judge, or ImportPendingError while an import into the study is being completed.
    """
    stored = configuration.as_json()
    kind = kind_of(stored)
    if not kind.has_units(study, stored):
        raise ConfigurationRefusedError("The study has nothing that such a run could judge.")
    with transaction.atomic():
        locked = lock_study(study.pk)
        made = None if client_key is None else RunWork.objects.filter(client_key=client_key, study=locked).first()
        if made is not None:
            return made.run
        rater = rater_for(locked, kind.rater_name(stored), kind.rater_kind, configuration.identity())
        name = run_name(list(rater.runs.values_list("name", flat=True)))
        run = JudgeRun.objects.create(
            rater=rater, name=name, configuration=stored, status=Status.RUNNING, started_at=database_now(),
        )  # fmt: skip
        work = RunWork.objects.create(
            run=run, study=locked, started_by=actor, partly=partly, pilot=pilot, client_key=client_key
        )
        record("run started", charge_name(run), actor=actor, study=locked.slug, new={"budget": budget})
        if budget is not None:
            budgets.set_cap(locked, budget, actor, run=charge_name(run))
        enqueue(works()[WORK_KEY], work)
    return run


def stop_run(run: JudgeRun, actor: Person | None) -> bool:
    """Start no more judgments of a run; running ones end within seconds. Return False if it was not running.

    Raises ConfigurationRefusedError if the run was imported.
    """
    _check_made_here(run)
    with transaction.atomic():
        if not _locked(run, [Status.RUNNING]):
            return False
        _halt(run.pk, Status.STOPPED, STOPPED)
        record("run stopped", charge_name(run), actor=actor, study=run.rater.study.slug)
    release(run)
    run.refresh_from_db()
    return True


def stop_for(run: int, reason: str) -> None:
    """Stop a run for a reason that people must look at before it goes on."""
    _stop_running(run, Status.STOPPED, reason, "run stopped")


def pause_for_budget(run: int, reason: str) -> None:
    """Stop a run whose budget allows no more calls; it can be resumed when the limit is raised."""
    _stop_running(run, Status.OUT_OF_BUDGET, reason, "run out of budget")


def _stop_running(pk: int, status: str, reason: str, event: str) -> None:
    with transaction.atomic():
        run = JudgeRun.objects.select_related("rater__study").get(pk=pk)
        if not _locked(run, [Status.RUNNING]):
            return
        _halt(pk, status, reason)
        record(event, charge_name(run), actor=None, study=run.rater.study.slug)
    release(run)


def resume_run(run: JudgeRun, actor: Person | None) -> bool:
    """Queue what a run has not judged; return False if it is running or finished.

    Judgments that have an outcome stay; calls that the ledger has answered are not made again. Raises
    ConfigurationRefusedError if the run was imported, or if its model is not there any more or its name stands for
    another one.
    """
    _check_made_here(run)
    kind_of(run.configuration).check_resumable(run)
    with transaction.atomic():
        lock_study(run.rater.study_id)
        if not _locked(run, RESUMABLE):
            return False
        work = RunWork.objects.get(run=run)
        again = Judgment.objects.filter(run=run, status__in=[RowStatus.STOPPED, RowStatus.FAILED])
        now = database_now()
        again = again if work.is_planned else again.none()  # what is not planned yet is planned again
        again.update(
            status=RowStatus.QUEUED, attempt=0, token=None, lease_until=None, due_at=now, woken_at=None,
            stop_asked=False, reason="", ended_at=None,
        )  # fmt: skip
        # What a worker is still at, or was when it was killed, goes on as if it had never been asked to stop.
        Judgment.objects.filter(run=run, status=RowStatus.RUNNING).update(stop_asked=False)
        RunWork.objects.filter(pk=work.pk, status=RowStatus.RUNNING).update(stop_asked=False)
        JudgeRun.objects.filter(pk=run.pk).update(status=Status.RUNNING, ended_at=None)
        RunWork.objects.filter(pk=work.pk).update(
            message="", reservation=None, pilot=0, settled=False, held_from=None if work.is_planned else 0
        )
        RunWork.objects.filter(pk=work.pk, status=RowStatus.DONE).update(status=RowStatus.STOPPED)
        requeue(works()[WORK_KEY], work)
        enqueue(works()[WORK_KEY], work)
        record("run resumed", charge_name(run), actor=actor, study=run.rater.study.slug)
    run.refresh_from_db()
    return True


def settle_if_ended(run: JudgeRun) -> bool:
    """Write the final counts of an ended run when its last judgments are over; return whether it is settled."""
    with transaction.atomic():
        if _locked(run, [Status.RUNNING, Status.PLANNED]):
            return False
        mine = Judgment.objects.filter(run=run)
        if mine.filter(status=RowStatus.RUNNING).exists() or mine.filter(status="done", recorded=False).exists():
            return False
        found = probe_result(run).as_json() if run.configuration.get("probe") else None
        RunWork.objects.filter(run=run).update(settled=True, probe=found)
        JudgeRun.objects.filter(pk=run.pk, status__in=RESUMABLE).update(**sums(run))
    run.refresh_from_db()
    return True


def models_returned(run: JudgeRun) -> list[str]:
    """Return the names that the provider's replies gave for the model of a run: more than one if it was renamed."""
    calls = Call.objects.filter(study=run.rater.study, run=charge_name(run)).exclude(model_returned="")
    return sorted(calls.order_by().values_list("model_returned", flat=True).distinct())


def replace_run(run: JudgeRun, by: JudgeRun, actor: Person | None) -> None:
    """Let another run of the study stand for this one in reports; both are kept. Raises ConfigurationRefusedError."""
    with transaction.atomic():
        study = lock_study(run.rater.study_id)
        if by.pk == run.pk or by.rater.study_id != study.pk or by.replaced_by_id is not None:
            raise ConfigurationRefusedError(
                "A run is replaced by another one of the study that is not replaced itself."
            )
        JudgeRun.objects.filter(pk=run.pk).update(replaced_by=by)
        since = run.started_at if RunWork.objects.filter(run=run).exists() else None  # of a file, it may be any time
        for part in all_erasing():
            part.run_replaced(run, since)
        record(RUN_REPLACED, charge_name(run), actor=actor, study=study.slug, new={"by": charge_name(by)})
    run.refresh_from_db()


def end_if_over(run: JudgeRun) -> bool:
    """End a running run whose judgments are all over and recorded; return whether it has ended.

    It is finished only if every judgment has an outcome; otherwise it is stopped and can be resumed.
    """
    with transaction.atomic():
        if not _locked(run, [Status.RUNNING]):
            return False
        work, mine = RunWork.objects.get(run=run), Judgment.objects.filter(run=run)
        if work.status in (RowStatus.FAILED, RowStatus.STOPPED):
            _halt(run.pk, Status.STOPPED, work.reason)
            _record_end(run, Status.STOPPED)
            return True
        if work.status != RowStatus.DONE or mine.filter(status__in=WAITING).exists():
            return False
        if mine.filter(status=RowStatus.DONE, recorded=False).exists():
            return False
        begun = mine if work.held_from is None else mine.filter(place__lt=work.held_from)
        names = models_returned(run)
        messages = _open_ends(run, work, begun)
        status = Status.STOPPED if messages else Status.FINISHED
        messages += [OTHER_NAMES.format(", ".join(names))] * (len(names) > 1)
        RunWork.objects.filter(pk=work.pk).update(message=" ".join(messages))
        JudgeRun.objects.filter(pk=run.pk).update(status=status, **sums(run))
        _record_end(run, status)
        if status == Status.FINISHED and run.configuration.get("asks_again"):
            _replace_asked_again(run, work)
    release(run)
    run.refresh_from_db()
    return True


def _open_ends(run: JudgeRun, work: RunWork, begun: QuerySet[Judgment]) -> list[str]:
    """Return why a run is not finished although its judgments are over: sentences, or none."""
    failed = begun.filter(status__in=[RowStatus.FAILED, RowStatus.STOPPED])
    if count := failed.count():
        reasons = sorted(set(failed.filter(IS_FAILED).exclude(reason="").values_list("reason", flat=True)[:AT_ONCE]))
        only = f" {reasons[0]}" if len(reasons) == 1 and not begun.exclude(outcome="").exists() else ""
        return [SOME_FAILED.format(count) + only]
    ended = begun.exclude(outcome="")
    if ended.exists() and not ended.exclude(outcome=Judgment.Outcome.TRUNCATED).exists():
        model = run.configuration["model"]
        return [cut_off_reason(run.rater.study, charge_name(run), model, ended.count())]
    return [PILOT_DONE.format(work.pilot)] if work.pilot else []


def _replace_asked_again(run: JudgeRun, work: RunWork) -> None:
    """Let a finished run stand for the one whose judgments it has asked again, if no other does."""
    rater, _, name = run.configuration["asks_again"].rpartition("/")
    earlier = JudgeRun.objects.filter(rater__study=run.rater.study, rater__name=rater, name=name, replaced_by=None)
    for one in earlier.select_related("rater__study"):
        replace_run(one, run, work.started_by)


def _record_end(run: JudgeRun, status: str) -> None:
    record("run ended", charge_name(run), actor=None, study=run.rater.study.slug, new={"status": str(status)})


def sums(run: JudgeRun) -> dict[str, Any]:
    """Return what the row of a run says about its work: counts by outcome, tokens, price and end."""
    return {"ended_at": database_now(), **kind_of(run.configuration).sums(run)}


def release(run: JudgeRun) -> None:
    """Give back what a run that has ended had reserved and not spent."""
    work = RunWork.objects.select_related("reservation").get(run=run)
    if work.reservation is not None:
        budgets.close(work.reservation)


def keep_reservation(run: JudgeRun) -> None:
    """Renew the lease of a running run's reservation when half of it is over."""
    soon = database_now() + budgets.BATCH_LEASE / 2
    work = RunWork.objects.filter(run=run, reservation__lease_until__lt=soon).select_related("reservation").first()
    if work is not None and work.reservation is not None:
        budgets.extend(work.reservation)


def _check_made_here(run: JudgeRun) -> None:
    if not RunWork.objects.filter(run=run).exists():
        raise ConfigurationRefusedError(IMPORTED)


def _locked(run: JudgeRun, states: Sequence[str]) -> bool:
    """Lock a run's row until the transaction ends; return whether it is in one of these states."""
    row = JudgeRun.objects.select_for_update(no_key=True).get(pk=run.pk)
    return row.status in states


def _halt(run: int, status: str, reason: str) -> None:
    now = database_now()
    rows = Judgment.objects.filter(run=run)
    rows.filter(status=RowStatus.QUEUED).update(
        status=RowStatus.STOPPED, token=None, lease_until=None, reason=reason, ended_at=now
    )
    rows.filter(status=RowStatus.RUNNING).update(stop_asked=True)
    works_of_run = RunWork.objects.filter(run=run)
    works_of_run.update(message=reason)
    works_of_run.filter(status=RowStatus.QUEUED).update(status=RowStatus.STOPPED, reason=reason, ended_at=now)
    works_of_run.filter(status=RowStatus.RUNNING).update(stop_asked=True)
    found = JudgeRun.objects.select_related("rater__study").get(pk=run)
    JudgeRun.objects.filter(pk=run).update(status=status, **sums(found))
