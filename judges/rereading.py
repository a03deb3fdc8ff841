"""Reads the kept replies of a run again, without calls: a new run of a new reading, which says so.

A parser that was corrected changes what replies mean. The earlier readings stay; a researcher may let the new run stand
for the earlier one.
"""

from dataclasses import replace

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import JudgeRun
from annotation.studies.locking import lock_study
from config.background.kinds import works
from config.background.rows import Status as RowStatus
from config.background.waking import enqueue
from config.database_clock import database_now
from judges.configuration import ConfigurationRefusedError, RunConfiguration, rater_for, run_name
from judges.judgment_planning import AT_ONCE
from judges.models import Judgment, RunWork
from judges.run_context import charge_name
from judges.run_kind import kind_of
from judges.run_states import WORK_KEY

NOT_HERE = "The replies of this run are not here: it was imported, or has none."
COPIED = (
    "place",
    "question_id",
    "item_id",
    "output_id",
    "other_output_id",
    "variant",
    "order",
    "replicate",
    "injection",
    "injected",
)


def reread_run(run: JudgeRun, actor: Person | None) -> JudgeRun:
    """Make a run that reads the replies of `run` with the protocol's parser as it is now, and queue its work.

    Raises ConfigurationRefusedError if the run is a reading itself, still going on, or has no judgments here.
    """
    if not Judgment.objects.filter(run=run).exists():  # such as runs that ask no model
        raise ConfigurationRefusedError(NOT_HERE)
    earlier = RunConfiguration.of(run.configuration)
    if earlier.reread_of:
        raise ConfigurationRefusedError("This run only reads the replies of another one. Read those again instead.")
    if run.status == JudgeRun.Status.RUNNING:
        raise ConfigurationRefusedError("The run is still going on. Stop it, or wait for its end.")
    parser, name = earlier.judge_protocol.parser, f"{run.rater.name}/{run.name}"
    configuration = replace(earlier, parser=parser, reread_of=name, asks_again="")
    with transaction.atomic():
        study = lock_study(run.rater.study_id)
        judged = Judgment.objects.filter(run=run).exclude(outcome="").order_by("place")
        if not judged.exists():
            raise ConfigurationRefusedError(NOT_HERE)
        stored = configuration.as_json()
        kind = kind_of(stored)
        rater = rater_for(study, kind.rater_name(stored), kind.rater_kind, configuration.identity())
        made = JudgeRun.objects.create(
            rater=rater, name=run_name(list(rater.runs.values_list("name", flat=True))),
            configuration=stored, status=JudgeRun.Status.RUNNING, started_at=database_now(),
        )  # fmt: skip
        work = RunWork.objects.create(run=made, study=study, started_by=actor, is_planned=True)
        record("run started", charge_name(made), actor=actor, study=study.slug, new={"reread_of": charge_name(run)})
        enqueue(works()[WORK_KEY], work)
    return made


def kept_judgments(work: RunWork) -> int:
    """Return how many judgments of a run that asks again are kept, because the earlier run has a valid reading."""
    rater, _, name = RunConfiguration.of(work.run.configuration).asks_again.rpartition("/")
    earlier = Judgment.objects.filter(run__rater__study=work.study, run__rater__name=rater, run__name=name)
    return earlier.filter(outcome=Judgment.Outcome.VALID).count()


def copy_judgments(work: RunWork) -> int:
    """Make the judgments of a run that do not exist yet, from those of the one that it reads or completes.

    Those of which it reads the replies name the judgment that made the calls. Return how many were made.
    """
    study, configuration = work.study, RunConfiguration.of(work.run.configuration)
    rater, _, name = (configuration.asks_again or configuration.reread_of).rpartition("/")
    done = set(Judgment.objects.filter(run=work.run_id).values_list("place", flat=True))
    originals = Judgment.objects.filter(run__rater__study=study, run__rater__name=rater, run__name=name)
    made = 0
    batch: list[Judgment] = []
    wanted = originals if configuration.asks_again else originals.exclude(outcome="")
    for original in wanted.order_by("place").iterator():
        if original.place in done:
            continue
        copied = {column: getattr(original, column) for column in COPIED}
        if not configuration.asks_again or original.outcome == Judgment.Outcome.VALID:
            copied["original_id"] = original.original_id or original.pk
        batch.append(Judgment(run_id=work.run_id, status=RowStatus.QUEUED, **copied))
        if len(batch) == AT_ONCE:
            made += len(Judgment.objects.bulk_create(batch))
            batch = []
    return made + len(Judgment.objects.bulk_create(batch))
