"""Start and compare a run of a judge for `tests.load.calls`: `python -m tests.load.judgment_rows queue N|compare`.

`queue` ends when no row waits any more.
"""

import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import django

django.setup()

from django.db.models import Count, Min  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotation.models import Guideline, Item, JudgeRun, Output, Question, Rating, Study  # noqa: E402
from config.background.claiming import process_row  # noqa: E402
from config.background.rows import WAITING  # noqa: E402
from files.writing import export_study  # noqa: E402
from judges.configuration import checked_configuration  # noqa: E402
from judges.models import Judgment, RunWork  # noqa: E402
from judges.run_states import start_run  # noqa: E402
from llm.models import Budget, Call  # noqa: E402
from llm.scripted.form_filling import filled_form  # noqa: E402
from tests.load.engine import MODEL  # noqa: E402

OUTPUTS = 5
PAUSE = 0.2


def put(count: int) -> None:
    study = Study.objects.create(slug="judged", protocol="rating", redundancy=1)
    Guideline.objects.create(study=study, number=1, text="Read.")
    Question.objects.create(
        study=study, position=0, key="well", type="likert", text="How well?", spec={"min": 1, "max": 5}
    )
    for number in range(-(-count // OUTPUTS)):
        item = Item.objects.create(study=study, key=f"i{number}", digest="d", document=f"Document {number}.")
        Output.objects.bulk_create(
            Output(item=item, position=place, key=f"s{place}", text=f"Text {number} {place}.", digest="d")
            for place in range(OUTPUTS)
        )
    given = {"protocol": "llm_eval", "model": MODEL, "questions": ["well"], "subset": count}
    run = start_run(study, checked_configuration(study, given), None)
    process_row("run", RunWork.objects.get(run=run).pk)


def waiting() -> int:
    unsettled = RunWork.objects.filter(settled=False).count()
    return Judgment.objects.filter(status__in=WAITING).count() + unsettled


def compare() -> dict:
    """Compare judgments, ledger, ratings and export; `wrong` must be empty."""
    run, wrong, paid_again = JudgeRun.objects.get(), [], 0
    ratings = {row.output_id: row.value for row in Rating.objects.filter(rater=run.rater)}
    for row in Judgment.objects.filter(run=run):
        calls = Call.objects.filter(work=row.work_name)
        recorded = calls.filter(status="answered").aggregate(at=Min("ended_at"))["at"]
        paid_again += calls.filter(started_at__gt=recorded).count() if recorded else 0
        if row.status != "done":
            wrong.append(f"judgment {row.pk} is {row.status}: {row.reason}")
            continue
        answered = calls.get(status="answered")
        expected = int(filled_form(answered.messages[0]["content"]).partition(":")[2])
        if not row.reading["value"] == ratings.get(row.output_id) == expected:
            wrong.append(f"judgment {row.pk}: {row.reading['value']}, {ratings.get(row.output_id)}, {expected}")
    if len(ratings) != Rating.objects.filter(rater=run.rater).count():
        wrong.append("an output has two ratings")
    ledger = Call.objects.filter(study=run.rater.study)
    spent = sum(ledger.exclude(price_charged=None).values_list("price_charged", flat=True))
    budget = Budget.objects.exclude(run="").get(study=run.rater.study)
    if (budget.spent, budget.reserved, run.price) != (spent, 0, spent):
        wrong.append(f"the budget says {budget.spent} + {budget.reserved}, the run {run.price}, the ledger {spent}")
    with tempfile.TemporaryDirectory() as folder:
        export_study(run.rater.study, Path(folder))
        exported = len(Path(folder, "scores.jsonl").read_text().splitlines())
    if exported != len(ratings):
        wrong.append(f"{exported} exported, {len(ratings)} stored")
    return {
        "rows": dict(Counter(Judgment.objects.values_list("status", flat=True))),
        "run": run.status,
        "ledger": dict(ledger.values_list("status").annotate(Count("pk"))),
        "paid_after_an_answer_was_recorded": paid_again,
        "restarted": Judgment.objects.filter(attempt__gt=1).count(),
        "running_calls_without_worker": ledger.filter(status="running", lease_until__gt=timezone.now()).count(),
        "wrong": wrong,
    }


if __name__ == "__main__":
    if sys.argv[1] == "queue":
        put(int(sys.argv[2]))
        while waiting():
            time.sleep(PAUSE)
    else:
        print(json.dumps(compare()))
